#!/usr/bin/env bash
# Makes once what each new home would make again, so that the tests do not: PostgreSQL's programs and the start-up caches. Starts the distribution
# in a home of its own for that. Arguments: the distribution's folder, the home.
set -euo pipefail
dist=$(cd "$1" && pwd) home=$2
sandboxer=$(cd "$(dirname "$0")/.." && pwd)/sandboxer
made=$home/cache/made
[ ! "$made" -nt "$dist/platform/quarkus-run.jar" ] || [ ! "$made" -nt "$dist/cli/sandboxer-cli.jar" ] || exit 0

rm -rf "$home"
export SANDBOXER_HOME=$home SANDBOXER_DIST=$dist SANDBOXER_LISTEN=127.0.0.1:0
unset SANDBOXER_URL SANDBOXER_KEY
trap '"$sandboxer" down >/dev/null' EXIT
"$sandboxer" up --detach
# A first call, so that its classes are in the cache too.
curl -sSf "$(cat "$home/url")/v1/health/ready" >/dev/null
"$sandboxer" down
trap - EXIT
touch "$made"
