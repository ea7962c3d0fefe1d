#!/usr/bin/env bash
# Makes once what each new home would make again, so that the tests do not: PostgreSQL's programs and the start-up caches. Starts the distribution
# in a home of its own for that. Arguments: the distribution's folder, the home.
set -euo pipefail
dist=$(cd "$1" && pwd) home=$2
top=$(cd "$(dirname "$0")/.." && pwd)
sandboxer=$top/sandboxer
# shellcheck source=tools/needs.sh
. "$top/tools/needs.sh"
# shellcheck source=tools/build.sh
. "$top/tools/build.sh"

# Whether the caches are those that this build's programs look for. No file's time says so: repeatable builds date all jars alike.
fits() { [ -f "$home/cache/platform-$(cache_key "$dist/platform").aot" ] && [ -f "$home/cache/cli-$(cache_key "$(cli_jar)").aot" ]; }

find_jdk
if fits; then exit 0; fi
rm -rf "$home"
export SANDBOXER_HOME=$home SANDBOXER_DIST=$dist SANDBOXER_LISTEN=127.0.0.1:0
export SANDBOXER_TRAINING_NICE=0 # the tests wait for it: beside a build that gives way to nothing it would take minutes
unset SANDBOXER_URL SANDBOXER_KEY
trap '"$sandboxer" down >/dev/null' EXIT
"$sandboxer" up --detach
# Locked while the caches are trained.
flock -w 600 "$home/run/training" true || { echo "sandboxer: the start-up caches were not ready within 600 s" >&2 && exit 1; }
"$sandboxer" down
trap - EXIT
