# Chromium for the tests that open a sandbox's ports in a real browser: found, else unpacked below the test home. Sourced by ./sandboxer.
# shellcheck shell=bash

browser_names=(chromium chromium-browser google-chrome google-chrome-stable)

# Puts a Chromium on the PATH; else fails with browser_problem and browser_remedy.
get_chromium() {
  local name
  browser_problem='' browser_remedy=''
  PATH=$home/tools/chromium:$PATH
  for name in "${browser_names[@]}"; do if command -v "$name" >/dev/null; then return; fi; done
  fetch_chromium
}

# Unpacks the distribution's packages, with those that they need and the host lacks, aside and renames at the end. Nothing is installed.
fetch_chromium() {
  local aside result=0 tool_log=$home/logs/chromium.log sudo=
  [ "$(id -u)" = 0 ] || sudo='sudo '
  browser_remedy="${sudo}apt-get install -y chromium (or your distribution's Chromium)"
  if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    browser_problem="no Chromium on the PATH, and without apt none can be fetched" && return 1
  fi
  say "fetching Chromium into $home/tools/chromium"
  rm -rf "$home"/tools/.chromium.*
  aside=$(mktemp -d "$home/tools/.chromium.XXXXXX") || { browser_problem="$home/tools cannot be written" && return 1; }
  : >"$tool_log"
  unpack_chromium "$aside" || result=1
  if [ $result = 0 ]; then rm -rf "$home/tools/chromium" && mv "$aside/chromium" "$home/tools/chromium" || result=1; fi
  rm -rf "$aside"
  [ $result = 0 ] || { say "Chromium could not be fetched: ${browser_problem:=unknown problem} (log: $tool_log)" && return 1; }
}

unpack_chromium() { # folder aside
  local deb
  { download_chromium "$1" '' || { apt_update "$1" && download_chromium "$1" own; }; } || { browser_problem="apt-get could not download chromium" && return 1; }
  mkdir -p "$1/chromium/root"
  for deb in "$1"/cache/archives/*.deb; do logged dpkg-deb -x "$deb" "$1/chromium/root" || { browser_problem="$deb could not be unpacked" && return 1; }; done
  write_browser "$1/chromium"
  logged "$1/chromium/chromium" --version || { browser_problem="the fetched Chromium does not start: $(tail -n 1 "$home/logs/chromium.log")" && return 1; }
}

# Only downloaded: the packages that the host has are not fetched again, and its package database stays as it is.
download_chromium() { apt_get "$1" "$2" install --download-only -y --no-install-recommends chromium; }

write_browser() {
  cat >"$1/chromium" <<'WRAPPER'
#!/bin/sh
root=${0%/*}/root
export LD_LIBRARY_PATH=$(echo "$root"/usr/lib/*-linux-gnu "$root"/lib/*-linux-gnu | tr ' ' ':')
exec "$root/usr/lib/chromium/chromium" "$@"
WRAPPER
  chmod 755 "$1/chromium"
}
