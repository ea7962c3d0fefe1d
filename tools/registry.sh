# docker-registry for the tests of private images: found, else unpacked below the test home. Sourced by ./sandboxer.
# shellcheck shell=bash

# Puts a docker-registry on the PATH; else fails with fetch_problem and fetch_remedy.
get_registry() {
  PATH=$home/tools/registry/usr/bin:$PATH
  command -v docker-registry >/dev/null || fetch_packages registry docker-registry
}

unpack_registry() { # folder aside
  download_packages "$1" download docker-registry && unpack_packages "$1/registry" "$1"/*.deb && try_fetched "$1/registry/usr/bin/docker-registry" docker-registry
}
