#!/bin/sh
# PostgreSQL's image runs this once, on an empty volume. The statements are those of docs/install.md.
set -eu
psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv owner_password OWNER_PASSWORD
\getenv app_password APP_PASSWORD
CREATE ROLE rampart_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE rampart_app LOGIN PASSWORD :'app_password';
GRANT rampart_app TO rampart_owner;
CREATE DATABASE rampart OWNER rampart_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE rampart FROM PUBLIC;
GRANT CONNECT ON DATABASE rampart TO rampart_app;
ALTER ROLE rampart_owner SET log_min_messages = log;
ALTER ROLE rampart_owner SET log_min_error_statement = panic;
ALTER ROLE rampart_app SET log_min_messages = log;
ALTER ROLE rampart_app SET log_min_error_statement = panic;
SQL
