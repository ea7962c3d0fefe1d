# Docker Compose for the tests of projects: found, else unpacked from Debian's package, else built from its Go module. Sourced by ./sandboxer.
# shellcheck shell=bash

compose_version=v2.40.3

# The first release of Debian with Docker Compose 2; its package needs nothing that older ones lack.
compose_release=trixie

# Puts a docker-compose on the PATH; else fails with fetch_problem and fetch_remedy. To build it takes some minutes of a processor, once in a home.
get_compose() {
  PATH=$home/tools/compose:$PATH
  command -v docker-compose >/dev/null || fetch_packages compose docker-compose || build_compose
}

# With lists of that release from where the machine has its own packages, signed by Debian as those are.
unpack_compose() { # folder aside
  local own=(own -o "Dir::Etc::SourceList=$1/sources" -o Dir::Etc::SourceParts=/dev/null) keys=/usr/share/keyrings/debian-archive-keyring.gpg
  apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>>"$tool_log" | grep '/debian$' | head -n 1 |
    sed "s|.*|deb [signed-by=$keys] & $compose_release main|" >"$1/sources"
  [ -s "$1/sources" ] && [ -f "$keys" ] || { fetch_problem='no Debian among the sources of packages' && return 1; }
  { again "$compose_release's packages" apt_get "$1" "${own[@]}" update && again docker-compose apt_get "$1" "${own[@]}" download docker-compose; } ||
    { fetch_problem='apt-get could not download docker-compose' && return 1; }
  unpack_packages "$1/unpacked" "$1"/docker-compose_*.deb && mkdir "$1/compose" && mv "$1/unpacked/usr/libexec/docker/cli-plugins/docker-compose" "$1/compose" || return 1
  try_fetched "$1/compose/docker-compose" docker-compose
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
