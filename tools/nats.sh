# nats-server for the tests of the NATS sink: found, else unpacked below the test home. Sourced by ./sandboxer.
# shellcheck shell=bash

# Puts a nats-server on the PATH; else fails with nats_problem and nats_remedy.
get_nats() {
  nats_problem='' nats_remedy=''
  PATH=$home/tools/nats/usr/sbin:$PATH
  if command -v nats-server >/dev/null; then return; fi
  fetch_nats
}

# Unpacks the distribution's package aside and renames at the end. Nothing is installed.
fetch_nats() {
  local aside result=0 tool_log=$home/logs/nats.log sudo=
  [ "$(id -u)" = 0 ] || sudo='sudo '
  nats_remedy="${sudo}apt-get install -y nats-server (or your distribution's nats-server)"
  if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    nats_problem="no nats-server on the PATH, and without apt none can be fetched" && return 1
  fi
  say "fetching nats-server into $home/tools/nats"
  rm -rf "$home"/tools/.nats.*
  aside=$(mktemp -d "$home/tools/.nats.XXXXXX") || { nats_problem="$home/tools cannot be written" && return 1; }
  : >"$tool_log"
  unpack_nats "$aside" || result=1
  if [ $result = 0 ]; then rm -rf "$home/tools/nats" && mv "$aside/nats" "$home/tools/nats" || result=1; fi
  rm -rf "$aside"
  [ $result = 0 ] || { say "nats-server could not be fetched: ${nats_problem:=unknown problem} (log: $tool_log)" && return 1; }
}

unpack_nats() { # folder aside
  local deb
  { download_nats "$1" '' || { apt_update "$1" && download_nats "$1" own; }; } || { nats_problem="apt-get could not download nats-server" && return 1; }
  mkdir -p "$1/nats"
  for deb in "$1"/*.deb; do logged dpkg-deb -x "$deb" "$1/nats" || { nats_problem="$deb could not be unpacked" && return 1; }; done
  logged "$1/nats/usr/sbin/nats-server" --version || { nats_problem="the fetched nats-server does not start: $(tail -n 1 "$home/logs/nats.log")" && return 1; }
}

download_nats() { apt_get "$1" "$2" download nats-server; }
