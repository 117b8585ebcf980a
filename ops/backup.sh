#!/bin/sh
# backup.sh FOLDER dumps the database and its roles into new files there. It ends at the first command that fails.
# docs/backup.md says how to run and restore it. AS_POSTGRES is what runs a program as PostgreSQL's superuser.
set -eu
umask 077
folder=${1:?The folder of the backups is missing}
as_postgres=${AS_POSTGRES:-runuser -u postgres --}
new=$folder/$(date +%Y-%m-%d-%H%M%S)
mkdir -p "$folder"
$as_postgres pg_dumpall --roles-only > "$new.sql"
$as_postgres pg_dump --format=custom rampart > "$new.dump"
$as_postgres pg_restore --list < "$new.dump" > /dev/null
# The command doctor and the alert then know how old the last backup is.
rampart backed-up
find "$folder" -type f -name '????-??-??-??????.*' -mtime +30 -delete
