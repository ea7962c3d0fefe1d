# nats-server for the tests of the NATS sink: found, else unpacked below the test home. Sourced by ./sandboxer.
# shellcheck shell=bash

# Puts a nats-server on the PATH; else fails with fetch_problem and fetch_remedy.
get_nats() {
  PATH=$home/tools/nats/usr/sbin:$PATH
  command -v nats-server >/dev/null || fetch_packages nats nats-server
}

unpack_nats() { # folder aside
  download_packages "$1" download nats-server && unpack_packages "$1/nats" "$1"/*.deb && try_fetched "$1/nats/usr/sbin/nats-server" nats-server
}
