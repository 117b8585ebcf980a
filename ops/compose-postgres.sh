#!/bin/sh
# A program of PostgreSQL, such as psql or pg_dump, as the superuser in the container of compose.yaml.
cd "$(dirname "$(readlink -f "$0")")"
exec docker compose -f compose.yaml exec -T postgres \
  sh -c 'export PGUSER=postgres PGPASSWORD="$POSTGRES_PASSWORD"; exec "$@"' sh "$@"
