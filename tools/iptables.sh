# iptables for the tests of Compose: an Engine answers for the names of services by it. Found, else unpacked below the test home. Sourced by ./sandboxer.
# shellcheck shell=bash

# Puts an iptables on the PATH; else fails with fetch_problem and fetch_remedy.
get_iptables() {
  PATH=$home/tools/iptables/bin:$PATH:/usr/sbin
  command -v iptables >/dev/null || fetch_packages iptables iptables
}

unpack_iptables() { # folder aside
  local made=$1/iptables package name
  for package in iptables libip4tc2 libip6tc2 libxtables12 libnftnl11 libmnl0 libnfnetlink0 libnetfilter-conntrack3; do
    download_packages "$1" download "$package" || return 1
  done
  unpack_packages "$made" "$1"/*.deb || return 1
  mkdir "$made/bin"
  for name in iptables ip6tables; do
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nhere=$(dirname "$(dirname "$(readlink -f "$0")")")/usr\nfor libraries in "$here"/lib/*-linux-gnu; do :; done\nexport LD_LIBRARY_PATH="$libraries" XTABLES_LIBDIR="$libraries/xtables"\nexec "$here/sbin/xtables-nft-multi" %s "$@"\n' "$name" >"$made/bin/$name"
    chmod +x "$made/bin/$name"
  done
  try_fetched "$made/bin/iptables" iptables
}
