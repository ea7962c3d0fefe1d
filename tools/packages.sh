# Programs of the distribution's packages, unpacked below the home where the machine lacks them. Nothing is installed. Sourced by ./sandboxer.
# shellcheck shell=bash

# Unpacks what `unpack_NAME FOLDER` makes in FOLDER/NAME aside and renames it to tools/NAME at the end; else fails with fetch_problem and fetch_remedy.
fetch_packages() { # name, package
  local name=$1 package=$2 aside result=0 tool_log=$home/logs/$1.log sudo=
  [ "$(id -u)" = 0 ] || sudo='sudo '
  fetch_problem='' fetch_remedy="${sudo}apt-get install -y $package (or your distribution's $package)"
  if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    fetch_problem="no $package on the PATH, and without apt none can be fetched" && return 1
  fi
  say "fetching $package into $home/tools/$name"
  rm -rf "$home/tools/.$name".*
  aside=$(mktemp -d "$home/tools/.$name.XXXXXX") || { fetch_problem="$home/tools cannot be written" && return 1; }
  : >"$tool_log"
  { "unpack_$name" "$aside" && rm -rf "$home/tools/$name" && mv "$aside/$name" "$home/tools/$name"; } || result=1
  rm -rf "$aside"
  [ $result = 0 ] || { say "$package could not be fetched: ${fetch_problem:=unknown problem} (log: $tool_log)" && return 1; }
}

download_packages() { # folder, what apt-get is to do...
  again "${*: -1}" from_lists apt_get "$@" || { fetch_problem="apt-get could not download ${*: -1}" && return 1; }
}

unpack_packages() { # target, files...
  local target=$1 deb
  shift
  mkdir -p "$target"
  for deb in "$@"; do logged dpkg-deb -x "$deb" "$target" || { fetch_problem="$deb could not be unpacked" && return 1; }; done
}

try_fetched() { # program, what it is called
  logged "$1" --version || { fetch_problem="the fetched $2 does not start: $(tail -n 1 "$tool_log")" && return 1; }
}
