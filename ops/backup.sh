#!/bin/sh
# backup.sh FOLDER dumps the database and its roles into new files there. It ends at the first command that fails.
# docs/backup.md says how to run and restore it. AS_POSTGRES is what runs a program as PostgreSQL's superuser.
set -eu
umask 077
folder=${1:?The folder of the backups is missing}
as_postgres=${AS_POSTGRES:-runuser -u postgres --}
new=$folder/$(date +%Y-%m-%d-%H%M%S)
mkdir -p "$folder"
# Old files make room first, also where each night fails. The newest dump stays, however old it is.
for dump in "$folder"/????-??-??-??????.dump; do newest=${dump##*/}; done
# A dump has its name once it is whole. A part whose night was killed by force goes the next night. The folder may be a link.
find -H "$folder" -maxdepth 1 -type f -name '????-??-??-??????.*' ! -name "${newest%.dump}.*" -mtime +30 -delete &&
  find -H "$folder" -maxdepth 1 -type f -name '????-??-??-??????.*.part' -mmin +720 -delete ||
  echo "Old files in $folder could not be removed." >&2
trap 'rm -f "$new.sql.part" "$new.dump.part"' EXIT
trap 'exit 1' HUP INT TERM
# Passwords are settings, and may have changed since.
$as_postgres pg_dumpall --roles-only --no-role-passwords > "$new.sql.part"
$as_postgres pg_dump --format=custom rampart > "$new.dump.part"
$as_postgres pg_restore --file=/dev/null < "$new.dump.part"
mv "$new.sql.part" "$new.sql"
mv "$new.dump.part" "$new.dump"
echo "$new.dump"
# The command doctor and the alert then know how old the last backup is.
rampart backed-up
