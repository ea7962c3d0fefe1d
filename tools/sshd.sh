# sshd for the tests of SSH: found, else unpacked below the test home. Sourced by ./sandboxer.
# shellcheck shell=bash

# Puts an sshd on the PATH; else fails with fetch_problem and fetch_remedy.
get_sshd() {
  PATH=$home/tools/sshd/bin:$PATH:/usr/sbin
  command -v sshd >/dev/null || fetch_packages sshd openssh-server
}

# It runs itself again for each connection, by its own full path and with its own environment.
unpack_sshd() { # folder aside
  local made=$1/sshd libraries
  download_packages "$1" download openssh-server && download_packages "$1" download libwrap0 && unpack_packages "$made" "$1"/*.deb || return 1
  libraries=$(dirname "$(find "$made" -name 'libwrap.so.*' -print -quit)")
  mkdir "$made/bin"
  # shellcheck disable=SC2016
  printf '#!/bin/sh\nhere=$(dirname "$(dirname "$(readlink -f "$0")")")\nexport LD_LIBRARY_PATH="$here/%s"\nexec "$here/usr/sbin/sshd" "$@"\n' "${libraries#"$made/"}" >"$made/bin/sshd"
  chmod +x "$made/bin/sshd"
  if LD_LIBRARY_PATH=$libraries ldd "$made/usr/sbin/sshd" | grep 'not found' >>"$tool_log"; then
    fetch_problem="the fetched sshd lacks libraries: $(tail -n 1 "$tool_log")" && return 1
  fi
}
