#!/bin/sh
# A command of Rampart, such as status, in the container of compose.yaml, or in one of its own while that does not run.
cd "$(dirname "$(readlink -f "$0")")"
if [ "$(docker compose -f compose.yaml ps --status running --quiet rampart)" ]; then how=exec; else how='run --rm'; fi
# shellcheck disable=SC2086
exec docker compose -f compose.yaml $how rampart node bin/command.mjs bin/rampart/rampart.ts "$@"
