# A Docker engine for the tests: one that answers, else a private one, fetched, started and ended here. Sourced by ./sandboxer; the
# end-to-end tests call it as a program (`bash tools/docker.sh start|end FOLDER`) for engines that they kill.
# shellcheck shell=bash

engine_programs=(dockerd containerd containerd-shim-runc-v2 runc docker)

# The Docker command line against the engine of the tests; a given engine may lack rights, so nothing here waits for ever.
docker_at() { # host, arguments...
  local host=$1
  shift
  timeout 120 "${docker_cli:-docker}" -H "$host" "$@" </dev/null 9>&-
}

engine_answers() { [ -n "$(timeout 10 "${docker_cli:-docker}" -H "$1" version --format '{{.Server.Version}}' </dev/null 2>/dev/null 9>&-)" ]; }

# Sets docker_host to an engine that answers, docker_cli, and dockerd_path (may stay empty) for the tests that kill engines. Starts a
# private engine where none answers; else fails, with engine_problem and engine_remedy saying what only the owner can do.
get_engine() {
  local given=${SANDBOXER_DOCKER_HOST:-unix:///var/run/docker.sock}
  case $given in /*) given=unix://$given ;; esac
  docker_host='' engine_problem='' engine_remedy=''
  find_engine_programs || fetch_engine || true
  end_left_engine
  if [ -n "${docker_cli:-}" ] && engine_answers "$given"; then
    docker_host=$given
    say "Docker: the engine at $given"
    return
  fi
  if [ -n "${SANDBOXER_DOCKER_HOST:-}" ]; then
    engine_problem="no Docker engine answers at SANDBOXER_DOCKER_HOST=$SANDBOXER_DOCKER_HOST" engine_remedy="start it, or unset SANDBOXER_DOCKER_HOST"
    return 1
  fi
  [ -z "$engine_problem" ] || return 1
  start_own_engine
}

# Sets docker_cli and, where a whole engine is here, dockerd_path: the fetched one, else what is on the PATH.
find_engine_programs() {
  local program
  dockerd_path='' docker_cli=''
  if [ -x "$home/tools/docker/dockerd" ]; then dockerd_path=$home/tools/docker docker_cli=$home/tools/docker/docker && return; fi
  docker_cli=$(PATH=$PATH:/usr/sbin:/sbin command -v docker) || return 1
  for program in "${engine_programs[@]}"; do PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || return 1; done
  dockerd_path=/usr/sbin:/sbin
}

# Unpacks the distribution's own packages aside and renames at the end, as nsjail.sh does. Nothing is installed.
fetch_engine() {
  local aside result=0 tool_log=$home/logs/docker.log
  if [ "$(id -u)" != 0 ]; then engine_problem="a Docker engine needs root, and none answers at /var/run/docker.sock" engine_remedy="$(engine_command)" && return 1; fi
  if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    engine_problem="no Docker engine answers, and without apt none can be fetched" engine_remedy="$(engine_command)" && return 1
  fi
  say "fetching a Docker engine into $home/tools/docker"
  rm -rf "$home"/tools/.docker.*
  aside=$(mktemp -d "$home/tools/.docker.XXXXXX") || { engine_problem="$home/tools cannot be written" && return 1; }
  : >"$tool_log"
  unpack_engine "$aside" || result=1
  if [ $result = 0 ]; then rm -rf "$home/tools/docker" && mv "$aside/docker" "$home/tools/docker" || result=1; fi
  rm -rf "$aside"
  [ $result = 0 ] && find_engine_programs && return
  engine_remedy=$(engine_command)
  say "a Docker engine could not be fetched: ${engine_problem:=unknown problem} (log: $tool_log)"
  return 1
}

unpack_engine() { # folder aside
  local deb program file
  again "a Docker engine" from_lists download_engine "$1" || { engine_problem="apt-get could not download docker.io, containerd and runc" && return 1; }
  for deb in "$1"/*.deb; do logged dpkg-deb -x "$deb" "$1/root" || { engine_problem="$deb could not be unpacked" && return 1; }; done
  mkdir -p "$1/docker"
  for program in "${engine_programs[@]}"; do
    file=$(find "$1/root/usr" -type f -path "*bin/$program" -print -quit)
    if [ -z "$file" ]; then engine_problem="the packages hold no $program" && return 1; fi
    mv "$file" "$1/docker/$program"
    if [ -n "$(ldd "$1/docker/$program" 2>/dev/null | grep 'not found')" ]; then
      engine_problem="$program lacks $(ldd "$1/docker/$program" | sed -n 's/^\s*\(.*\) => not found/\1/p' | xargs)" && return 1
    fi
  done
  chmod -R 755 "$1/docker"
}

# From some releases on the command line is a package of its own.
download_engine() {
  apt_get "$1" "$2" download docker.io containerd runc || return 1
  [ -z "$(apt-cache policy docker-cli 2>/dev/null)" ] || apt_get "$1" "$2" download docker-cli || true
}

engine_command() {
  local sudo= package
  [ "$(id -u)" = 0 ] || sudo='sudo '
  case $(package_manager || true) in
    apt) package="${sudo}apt-get install -y docker.io" ;; dnf) package="${sudo}dnf install -y moby-engine" ;;
    pacman) package="${sudo}pacman -S --needed docker" ;; apk) package="${sudo}apk add docker" ;;
    *) echo "install Docker Engine (https://docs.docker.com/engine/install/) and start it" && return ;;
  esac
  echo "$package && ${sudo}systemctl start docker && ${sudo}usermod -aG docker $(id -un)"
}

# --- the tests' own engine

own_engine() { echo "$home/docker/engine"; } # the folder that the last own engine lives in, by name

start_own_engine() {
  local folder
  [ -n "$dockerd_path" ] || { engine_problem="no Docker engine answers, and only a part of one is on the PATH" engine_remedy=$(engine_command) && return 1; }
  if [ "$(id -u)" != 0 ]; then engine_problem="a Docker engine needs root, and none answers at /var/run/docker.sock" engine_remedy="$(engine_command)" && return 1; fi
  mkdir -p "$home/docker"
  folder=$(short_folder sbxd)
  echo "$folder" >"$(own_engine)"
  if ! engine_start "$folder" "$home/docker/data"; then
    engine_problem="dockerd does not start here: $(grep -aE 'level=(fatal|error)|failed to start' "$home/logs/dockerd.log" | tail -n 1 | cut -c1-300)"
    engine_remedy="see $home/logs/dockerd.log; $(engine_command)"
    end_left_engine
    return 1
  fi
  docker_host=unix://$folder/docker.sock
  docker_at "$docker_host" ps -aq | xargs -r "$docker_cli" -H "$docker_host" rm -f >/dev/null 9>&-
  say "Docker: a private engine ($(docker_at "$docker_host" version --format '{{.Server.Version}}')) at $docker_host, ended after the tests"
}

# The paths of sockets must fit into 107 bytes.
short_folder() { # how its name begins
  local base=${TMPDIR:-/tmp}
  [ ${#base} -le 40 ] || base=/tmp
  mktemp -d "$base/$1.XXXXXX"
}

# Also what a run that was killed left behind.
end_left_engine() {
  local folder
  [ -r "$(own_engine)" ] || return 0
  folder=$(cat "$(own_engine)")
  case $folder in */sbxd.??????) [ ! -d "$folder" ] || engine_end "$folder" ;; esac
  rm -f "$(own_engine)"
}

# Starts a dockerd in a folder and waits until it answers. It gives its containerd 15 s and then ends, which on a busy machine says little.
engine_start() { # folder, data folder
  mkdir -p "$1/exec" "$2"
  echo "$2" >"$1/data.path"
  [ -e /opt/containerd ] || touch "$1/made-opt" # containerd makes it, and only we know that it was not there
  engine_launch "$1" "$2" || { end_rest "$1" && say "dockerd did not start (log: ${home:-$1}/logs/dockerd.log), trying once more" && engine_launch "$1" "$2"; }
}

# It touches neither bridges nor packet filters of the host.
engine_launch() { # folder, data folder
  local folder=$1 data=$2 deadline=$((SECONDS + 120)) pid
  rm -f "$folder/docker.pid"
  PATH=$dockerd_path:$PATH setsid dockerd --host "unix://$folder/docker.sock" --data-root "$data" --exec-root "$folder/exec" --pidfile "$folder/docker.pid" \
    --cgroup-parent "/${folder##*/}" --exec-opt native.cgroupdriver=cgroupfs --bridge=none --iptables=false --ip6tables=false --ip-forward=false \
    --userland-proxy=false --shutdown-timeout 5 </dev/null >>"${home:-$folder}/logs/dockerd.log" 2>&1 9>&- &
  pid=$!
  until engine_answers "unix://$folder/docker.sock"; do
    kill -0 $pid 2>/dev/null && [ $SECONDS -lt $deadline ] || return 1
    sleep 0.05
  done
}

# Ends an engine with all that it started, whatever state it is in: containers, processes, mounts, control groups, folders.
engine_end() { # folder
  local folder=$1 data pid deadline=$((SECONDS + 20))
  data=$(cat "$folder/data.path" 2>/dev/null || echo "$folder/data")
  if engine_answers "unix://$folder/docker.sock"; then
    docker_at "unix://$folder/docker.sock" ps -aq | xargs -r "${docker_cli:-docker}" -H "unix://$folder/docker.sock" rm -f >/dev/null 2>&1 9>&- || true
  fi
  for pid in $(engine_processes "$folder" dockerd); do kill -TERM "$pid" 2>/dev/null || true; done
  while [ -n "$(engine_processes "$folder" dockerd)" ] && [ $SECONDS -lt $deadline ]; do sleep 0.05; done
  end_rest "$folder"
  unmount_below "$folder" && unmount_below "$data"
  find /sys/fs/cgroup -depth -type d -path "*/${folder##*/}*" -exec rmdir {} + 2>/dev/null || true
  [ ! -e "$folder/made-opt" ] || find /opt/containerd -depth -type d -exec rmdir {} + 2>/dev/null || true
  rm -rf "$folder"
}

unmount_below() { # folder; it may itself be a mount
  local place
  cut -d' ' -f5 /proc/self/mountinfo | sort -r | while read -r place; do
    place=$(printf %b "$place")
    case $place in "$1" | "$1"/*) umount -l "$place" 2>/dev/null || true ;; esac
  done
}

# What dockerd left: containers whose engine was killed, their shims, containerd.
end_rest() { # folder
  local pid sockets deadline=$((SECONDS + 20))
  sockets=$(for pid in $(engine_processes "$1" ''); do shim_sockets "$pid"; done)
  while [ $SECONDS -lt $deadline ]; do
    for pid in $(engine_processes "$1" '') $(contained_processes "${1##*/}"); do kill -KILL "$pid" 2>/dev/null || true; done
    [ -n "$(engine_processes "$1" '')$(contained_processes "${1##*/}")" ] || break
    sleep 0.05
  done
  [ -z "$sockets" ] || printf '%s\n' "$sockets" | xargs rm -f
}

# containerd puts its shims' sockets into one place for the whole machine, and a killed shim leaves its own there.
shim_sockets() { # pid
  local inode
  for inode in $(find "/proc/$1/fd" -lname 'socket:*' -printf '%l\n' 2>/dev/null | tr -dc '0-9\n'); do
    sed -n "s|.* $inode \(/run/containerd/s/[0-9a-f]*\)\$|\1|p" /proc/net/unix
  done
}

# The processes of an engine, by the folder that stands on each one's command line.
engine_processes() { # folder, how the command line begins or ''
  local file line
  grep -laF -- "$1/" /proc/[0-9]*/cmdline 2>/dev/null | while read -r file; do
    line=$({ tr '\0' ' ' <"$file"; } 2>/dev/null) || continue
    case $line in "$2"*) case $line in dockerd\ * | */dockerd\ * | containerd\ * | */containerd\ * | */containerd-shim*) file=${file#/proc/} && echo "${file%/cmdline}" ;; esac ;; esac
  done
}

contained_processes() { # control group
  local list
  find /sys/fs/cgroup -type f -path "*/$1/*" -name cgroup.procs -print0 2>/dev/null | xargs -0 -r cat 2>/dev/null | sort -u | xargs
}

# As a program: engines of the tests. Needs PATH to hold a whole engine.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -euo pipefail
  dockerd_path=/usr/sbin:/sbin docker_cli=docker
  unset home
  say() { printf '%s\n' "$*" >&2; }
  mkdir -p "$2/logs"
  home=$2
  case ${1:-} in start) engine_start "$2" "$2/data" || { tail -n 5 "$2/logs/dockerd.log" >&2 && exit 1; } ;; end) engine_end "$2" ;; *) exit 2 ;; esac
fi
