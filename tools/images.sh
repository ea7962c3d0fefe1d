# The images that tests use, made from the distribution's packages and imported: no registry is asked. Sourced by ./sandboxer.
# shellcheck shell=bash

# Where the engine has the real image it is used. A stand-in carries this label with a hash of what it was made from; it has the
# distribution's own versions of Python and Node, whatever the name says.
stand_in_label=dev.sandboxer.stand-in

base_packages=(base-files base-passwd bash coreutils dash debianutils diffutils findutils grep gzip hostname libc-bin login mawk perl-base sed tar util-linux
  ca-certificates netbase tzdata)
extra_packages=(python3 nodejs busybox-static apt curl dpkg git)

# Makes what is missing or stale, and names in made_images what was made in an engine that is not ours. Sets images_problem if it fails.
make_images() {
  local begin hash aside tool_log=$home/logs/images.log result=0
  begin=$(now)
  images_problem='' made_images=()
  : >"$tool_log"
  hash=$(inputs_hash)
  if all_images_there "$hash"; then return; fi
  if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    images_problem="the test images are made from Debian's packages, which needs apt-get and dpkg-deb" && return 1
  fi
  say "making the test images, log: $tool_log"
  rm -rf "$home"/cache/.images.*
  aside=$(mktemp -d "$home/cache/.images.XXXXXX")
  (umask 022 && unpack_roots "$aside") || result=1
  if [ $result = 0 ]; then import_all "$aside" "$hash" || result=1; fi
  rm -rf "$aside"
  [ ! -e "$(own_engine)" ] || logged docker_at "$docker_host" image prune -f
  [ $result = 0 ] || { images_problem="the test images could not be made: $(tail -n 1 "$tool_log")" && return 1; }
  say "made the test images in $(seconds_since "$begin")"
}

# This recipe and the versions that apt would fetch; asked anew each time, because a security update is an input too.
inputs_hash() { { cat "$top/tools/images.sh"; apt_for_images "$home/cache/apt" '' -q=2 --print-uris 2>/dev/null | cut -d' ' -f2 | sort || true; } | sha256sum | cut -c1-16; }

# apt as if nothing were installed: the whole closure of packages, and neither root's state nor the host's is touched.
apt_for_images() { # folder, own or '', option
  local folder=$1 own=$2 state=()
  shift 2
  mkdir -p "$folder"/cache/archives/partial "$folder"/state/lists/partial
  : >"$folder/empty-status"
  if [ -n "$own" ]; then state=(-o "Dir::State=$folder/state"); fi
  apt-get "${state[@]}" -o "Dir::State::status=$folder/empty-status" -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User= -o Debug::NoLocking=1 \
    -o APT::Install-Recommends=0 -y "$@" install "${base_packages[@]}" "${extra_packages[@]}" </dev/null 9>&-
}

unpack_roots() { # folder
  local base
  again "packages of the test images" from_lists download_closure "$1" || return 1
  base=$(closure "$1" "${base_packages[@]}") || return 1
  new_root "$1/debian" && unpack "$1" "$1/debian" "$base" && finish_root "$1/debian" || return 1
  cp -a "$1/debian" "$1/python" && unpack "$1" "$1/python" "$(closure "$1" python3)" && finish_root "$1/python" || return 1
  cp -a "$1/debian" "$1/node" && unpack "$1" "$1/node" "$(closure "$1" nodejs)" && finish_root "$1/node" || return 1
  cp -a "$1/python" "$1/tools" && unpack "$1" "$1/tools" "$(closure "$1" apt curl dpkg git)" && finish_root "$1/tools" || return 1
  link_programs "$1/python" python3:python python3:python3
  link_programs "$1/node" node:node
  static_root "$1" || return 1
  mkdir "$1/busybox" && unpack "$1" "$1/busybox" busybox-static || return 1
  busybox_root "$1/busybox"
}

download_closure() { # folder, own or '', which later calls of apt must take as well
  own_lists=$2
  logged apt_for_images "$1" "$2" --download-only
}

# Names of all packages that these bring, from the fetched files alone.
closure() { # folder, packages...
  local folder=$1 packages=("$@")
  apt-get -o "Dir::State::status=$folder/empty-status" ${own_lists:+-o "Dir::State=$folder/state"} -o APT::Install-Recommends=0 -o Debug::NoLocking=1 -q=2 -y --print-uris install "${packages[@]:1}" 2>>"$tool_log" </dev/null | cut -d' ' -f2 | cut -d_ -f1
}

# /bin and its like are links, as Debian has them; what packages hold there goes where the links point.
new_root() {
  mkdir -p "$1"/usr/{bin,sbin,lib,lib64}
  ln -s usr/bin usr/sbin usr/lib usr/lib64 "$1/"
}

unpack() { # folder, root, names
  local name deb
  for name in $3; do
    for deb in "$1"/cache/archives/"$name"_*.deb; do
      [ ! -e "$2/.unpacked/$name" ] || continue
      dpkg-deb --fsys-tarfile "$deb" | tar -x -p --no-same-owner --keep-directory-symlink -C "$2" || return 1
      mkdir -p "$2/.unpacked" && touch "$2/.unpacked/$name"
    done
  done
}

# What the packages' scripts would have made, without running any.
finish_root() {
  rm -rf "$1"/usr/share/{doc,man,info,locale,lintian}
  cp "$1/usr/share/base-passwd/passwd.master" "$1/etc/passwd"
  cp "$1/usr/share/base-passwd/group.master" "$1/etc/group"
  ln -sf mawk "$1/usr/bin/awk"
  ln -sf dash "$1/usr/bin/sh"
  find "$1/usr/share/ca-certificates" -name '*.crt' -exec cat {} + >"$1/etc/ssl/certs/ca-certificates.crt"
  mkdir -p "$1"/usr/local/{bin,lib,sbin} "$1/tmp" "$1/root"
  chmod 1777 "$1/tmp" "$1/var/tmp"
  chroot "$1" /usr/sbin/ldconfig
}

link_programs() { # root, program:name...
  local root=$1 pair
  shift
  for pair in "$@"; do ln -sf "../../bin/${pair%:*}" "$root/usr/local/bin/${pair#*:}"; done
}

# What distroless/static has: users, certificates, time zones, and no program at all.
static_root() {
  local root=$1/static
  mkdir -p "$root"/{etc/ssl/certs,home/nonroot,root,tmp,usr/share,usr/lib,var}
  cp "$1/debian/etc/ssl/certs/ca-certificates.crt" "$root/etc/ssl/certs/"
  cp -r "$1/debian/usr/share/zoneinfo" "$root/usr/share/"
  cp "$1/debian/usr/lib/os-release" "$root/usr/lib/" && ln -s ../usr/lib/os-release "$root/etc/os-release"
  printf 'root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' >"$root/etc/passwd"
  printf 'root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n' >"$root/etc/group"
  chmod 1777 "$root/tmp"
  chmod 700 "$root/home/nonroot"
  chown 65532:65532 "$root/home/nonroot"
}

busybox_root() {
  local name
  rm -rf "$1/usr/share" "$1/.unpacked"
  mkdir -p "$1"/{tmp,etc,dev,proc,sys,root,usr/bin}
  chmod 1777 "$1/tmp"
  [ -e "$1/bin/busybox" ] || mkdir -p "$1/bin" && [ -e "$1/bin/busybox" ] || mv "$1/usr/bin/busybox" "$1/bin/busybox"
  for name in $("$1/bin/busybox" --list); do [ -e "$1/bin/$name" ] || ln "$1/bin/busybox" "$1/bin/$name"; done
}

# name|root|changes, separated by semicolons|architecture, where it is not this machine's. The names are those that the ready profiles and the tests use.
image_table() {
  local path='ENV PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin' foreign=arm64
  [ "$(machine)" = amd64 ] || foreign=amd64
  cat <<TABLE
debian:bookworm-slim|debian|$path;CMD ["bash"]|
python:3.12-slim|python|$path;CMD ["python3"]|
node:22-slim|node|$path;CMD ["node"]|
gcr.io/distroless/static-debian12:latest|static|$path;USER 0;WORKDIR /|
sandboxer-test/busybox:latest|busybox|$path;CMD ["sh"]|
sandboxer-test/tools:latest|tools|$path;CMD ["bash"]|
sandboxer-test/empty:latest|empty||
sandboxer-test/other-arch:latest|busybox|$path|$foreign
sandboxer-test/entrypoint-exits:latest|busybox|$path;ENTRYPOINT ["/bin/false"]|
sandboxer-test/dev-link:latest|dev-link|$path|
sandboxer-test/proc-link:latest|proc-link|$path|
sandboxer-test/awkward:latest|busybox|$path;VOLUME /data /etc/volume;HEALTHCHECK --interval=1s CMD touch /run/sandboxer/health /tmp/health;ENV IMAGE_SECRET=of-the-image;USER 12345;LABEL dev.sandboxer.installation=forged dev.sandboxer.sandbox=forged;WORKDIR /nowhere;ENTRYPOINT ["/bin/sleep"];CMD ["1000"]|
TABLE
}

all_images_there() { # hash
  local name rest
  while IFS='|' read -r name rest; do image_there "$name" "$1" || return 1; done < <(image_table)
}

# Whether the engine has it: the real one, or ours of the same inputs.
image_there() {
  local label
  label=$(docker_at "$docker_host" image inspect --format "{{with .Config}}{{index .Labels \"$stand_in_label\"}}{{end}}" "$1" 2>/dev/null) || return 1
  case $label in "$2") ;; '' | '<no value>') case $1 in sandboxer-test/*) return 1 ;; esac ;; *) return 1 ;; esac
}

import_all() { # folder, hash
  local name root changes architecture options change
  awkward_roots "$1"
  while IFS='|' read -r name root changes architecture; do
    if image_there "$name" "$2"; then continue; fi
    made_images+=("$name")
    if [ -n "$architecture" ]; then load_foreign "$1" "$root" "$name" "$architecture" "$2" && continue || return 1; fi
    options=(--change "LABEL $stand_in_label=$2")
    while [ -n "$changes" ]; do
      change=${changes%%;*}
      case $changes in *\;*) changes=${changes#*;} ;; *) changes= ;; esac
      options+=(--change "$change")
    done
    tar -C "$1/$root" --exclude=./.unpacked -c . | "$docker_cli" -H "$docker_host" import "${options[@]}" - "$name" >>"$tool_log" 2>&1 9>&- || { echo "$name was not imported" >>"$tool_log" && return 1; }
  done < <(image_table)
  set_stop_signal sandboxer-test/awkward:latest SIGSTOP
}

# An import names this machine's architecture whatever it is told, so this image is written by hand.
load_foreign() { # folder, root, name, architecture, hash
  local parts=$1/parts
  mkdir -p "$parts"
  tar -C "$1/$2" --exclude=./.unpacked -cf "$parts/layer.tar" .
  printf '{"architecture":"%s","os":"linux","config":{"Cmd":["sh"],"Labels":{"%s":"%s"}},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
    "$4" "$stand_in_label" "$5" "$(sha256sum "$parts/layer.tar" | cut -d' ' -f1)" >"$parts/config.json"
  printf '[{"Config":"config.json","RepoTags":["%s"],"Layers":["layer.tar"]}]' "$3" >"$parts/manifest.json"
  tar -C "$parts" -c manifest.json config.json layer.tar | "$docker_cli" -H "$docker_host" load >>"$tool_log" 2>&1 9>&-
}

# An import takes no STOPSIGNAL, a container does, and what is committed from it keeps it.
set_stop_signal() { # image, signal
  local container
  container=$(docker_at "$docker_host" create --network none --stop-signal "$2" "$1") && logged docker_at "$docker_host" commit "$container" "$1" &&
    logged docker_at "$docker_host" rm -f -v "$container"
}

# Roots that are made to hurt: nothing at all, and links where the kernel's file systems are to be mounted.
awkward_roots() {
  mkdir "$1/empty"
  cp -a "$1/busybox" "$1/dev-link" && rm -r "$1/dev-link/dev" && ln -s /etc "$1/dev-link/dev"
  cp -a "$1/busybox" "$1/proc-link" && rm -r "$1/proc-link/proc" && ln -s /tmp "$1/proc-link/proc"
}

# An engine that is not ours keeps no stand-in under a real image's name.
remove_made_images() {
  [ ! -e "$(own_engine)" ] && [ ${#made_images[@]} -gt 0 ] && [ -n "${docker_host:-}" ] || return 0
  docker_at "$docker_host" image rm -f "${made_images[@]}" >/dev/null 2>&1 || true
}
