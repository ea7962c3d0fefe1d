# Docker Compose for the tests of projects: found, else built from its Go module. Sourced by ./sandboxer.
# shellcheck shell=bash

compose_version=v2.40.3

# Puts a docker-compose on the PATH; else fails with fetch_problem and fetch_remedy. Built once in a home, which takes some minutes of a processor.
get_compose() {
  PATH=$home/tools/compose:$PATH
  command -v docker-compose >/dev/null || build_compose
}

# From a copy of the module's folder: `go install` refuses a module that excludes others.
build_compose() {
  local aside module result=0 tool_log=$home/logs/compose.log
  fetch_problem='' fetch_remedy='put docker-compose 2 on the PATH, or let Go reach its module proxy'
  say "building Docker Compose $compose_version into $home/tools/compose (some minutes, once), log: $tool_log"
  rm -rf "$home"/tools/.compose.*
  aside=$(mktemp -d "$home/tools/.compose.XXXXXX") || { fetch_problem="$home/tools cannot be written" && return 1; }
  : >"$tool_log"
  module=$(again "Docker Compose" logged_folder "$aside") && cp -r "$module" "$aside/source" && chmod -R u+w "$aside/source" &&
    CGO_ENABLED=0 again "modules of Docker Compose" logged nice -n 19 go -C "$aside/source" build -trimpath -ldflags "-s -w -X github.com/docker/compose/v2/internal.Version=$compose_version" -o "$aside/compose/docker-compose" ./cmd || result=1
  if [ $result = 0 ]; then rm -rf "$home/tools/compose" && mv "$aside/compose" "$home/tools/compose" || result=1; fi
  rm -rf "$aside"
  [ $result = 0 ] || { fetch_problem="Docker Compose could not be built (log: $tool_log)" && return 1; }
}

# The module's folder in Go's cache.
logged_folder() { # folder to ask in
  (cd "$1" && go mod download -json "github.com/docker/compose/v2@$compose_version" 2>>"$tool_log") | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",*$/\1/p' | grep .
}
