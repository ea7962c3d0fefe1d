# Chromium for the tests that open a sandbox's ports in a real browser: found, else unpacked below the test home. Sourced by ./sandboxer.
# shellcheck shell=bash

browser_names=(chromium chromium-browser google-chrome google-chrome-stable)

# Puts a Chromium on the PATH; else fails with fetch_problem and fetch_remedy.
get_chromium() {
  local name
  PATH=$home/tools/chromium:$PATH
  for name in "${browser_names[@]}"; do if command -v "$name" >/dev/null; then return; fi; done
  fetch_packages chromium chromium
}

# Only downloaded: the packages that the host has are not fetched again, and its package database stays as it is.
unpack_chromium() { # folder aside
  download_packages "$1" install --download-only -y --no-install-recommends chromium || return 1
  unpack_packages "$1/chromium/root" "$1"/cache/archives/*.deb && write_browser "$1/chromium" && try_fetched "$1/chromium/chromium" Chromium
}

# Some libraries lie in folders of their own, and look for them at the host's root.
write_browser() {
  cat >"$1/chromium" <<'WRAPPER'
#!/bin/sh
root=${0%/*}/root
export LD_LIBRARY_PATH=$(echo "$root"/usr/lib/*-linux-gnu "$root"/usr/lib/*-linux-gnu/pulseaudio "$root"/lib/*-linux-gnu | tr ' ' ':')
exec "$root/usr/lib/chromium/chromium" "$@"
WRAPPER
  chmod 755 "$1/chromium"
}
