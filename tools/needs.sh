# What this machine must have: JDK 25, Maven and Go, found or named. Sourced by ./sandboxer.
# shellcheck shell=bash

jdk_wanted=25
maven_wanted=3.8
go_wanted=1.26

# Succeeds when version $1 is $2 or later; only the numbers before the first other character count.
version_at_least() {
  local have=${1%%[!0-9.]*} want=$2 h w
  while [ -n "$want" ]; do
    h=${have%%.*} w=${want%%.*}
    [ "${h:-0}" -gt "$w" ] && return 0
    [ "${h:-0}" -lt "$w" ] && return 1
    case $have in *.*) have=${have#*.} ;; *) have= ;; esac
    case $want in *.*) want=${want#*.} ;; *) want= ;; esac
  done
  return 0
}

# The version of the JDK in folder $1, from its `release` file: asking the JDK itself would cost 50 ms.
jdk_version() {
  [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 1
  sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$1/release"
}

java_home_on_path() {
  local java
  java=$(command -v java) || return 1
  "$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p'
}

jdk_fits() {
  local version
  version=$(jdk_version "$1") || return 1
  [ "${version%%[!0-9]*}" = "$jdk_wanted" ] && [ -x "$1/bin/javac" ]
}

# Sets `jdk` to the first JDK 25 of: JAVA_HOME, the usual folders, `java` on the PATH (asked last, because it must be started).
find_jdk() {
  local folder
  jdk=
  for folder in "${JAVA_HOME:-}" "${SANDBOXER_JVM_DIR:-/usr/lib/jvm}"/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    if [ -n "$folder" ] && jdk_fits "$folder"; then jdk=$folder && break; fi
  done
  if [ -z "$jdk" ] && folder=$(java_home_on_path) && jdk_fits "$folder"; then jdk=$folder; fi
  [ -n "$jdk" ] && export JAVA_HOME=$jdk
}

# Maven's version from the name of its own jar where that tells it, else from Maven, which takes half a second.
maven_version() {
  local mvn jar
  mvn=$(command -v mvn) || return 1
  for jar in "$(dirname "$(readlink -f "$mvn" 2>/dev/null || echo "$mvn")")"/../lib/maven-core-[0-9].[0-9]*.jar; do
    if [ -e "$jar" ]; then jar=${jar##*/maven-core-} && echo "${jar%.jar}" && return; fi
  done
  mvn -v 2>/dev/null | sed -n 's/^[^A]*Apache Maven \([0-9.]*\).*/\1/p' | head -n 1
}

go_version() { command -v go >/dev/null && (cd / && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//'); }

distribution() { # field $1 of os-release
  local file=${SANDBOXER_OS_RELEASE:-/etc/os-release}
  [ -r "$file" ] || return 0
  (. "$file" && eval "echo \"\${$1:-}\"")
}

# Which package manager the distribution has: apt, dnf, pacman, apk or nothing.
package_manager() {
  local like tool
  for like in $(distribution ID) $(distribution ID_LIKE); do
    case $like in
      debian | ubuntu) tool=apt ;; fedora) tool=dnf ;; arch) tool=pacman ;; alpine) tool=apk ;; *) continue ;;
    esac
    case $tool in apt) command -v apt-cache ;; *) command -v "$tool" ;; esac >/dev/null && echo "$tool" && return
  done
}

# The versions the distribution offers, "name version" a line. dnf needs seconds to answer, so Fedora's are a table.
offers() {
  local release
  case $manager in
    apt) LC_ALL=C apt-cache policy "$@" 2>/dev/null | sed -n -e '/^[^ ].*:$/{s/:$//;h;}' -e '/^ *Candidate: [0-9]/{s/^ *Candidate: \([0-9]*:\)\{0,1\}//;H;x;s/\n/ /;p;}' ;;
    pacman) LC_ALL=C pacman -Si "$@" 2>/dev/null | sed -n -e '/^Name/{s/.*: //;h;}' -e '/^Version/{s/.*: \([0-9]*:\)\{0,1\}//;H;x;s/\n/ /;p;}' ;;
    apk) apk policy "$@" 2>/dev/null | sed -n -e '/policy:$/{s/ policy:$//;h;n;s/^ *\(.*\):$/\1/;H;x;s/\n/ /;p;}' ;;
    dnf)
      release=$(distribution VERSION_ID)
      [ "$(distribution ID)" = fedora ] || return 0
      printf 'maven 3.8\ngcc 14\npython3-pip 24\nlibnl3 3\n'
      if [ "${release%%.*}" -ge 42 ]; then echo 'java-25-openjdk-devel 25'; fi
      if [ "${release%%.*}" -ge 44 ]; then echo 'golang 1.26'; fi ;;
  esac
}

# The packages that could bring tool $1, best first.
packages_for() {
  case $manager:$1 in
    apt:jdk) echo openjdk-25-jdk-headless ;; dnf:jdk) echo java-25-openjdk-devel ;;
    pacman:jdk) echo jdk25-openjdk jdk-openjdk ;; apk:jdk) echo openjdk25 ;;
    *:maven) echo maven ;;
    apt:go) echo golang-go ;; dnf:go) echo golang ;; *:go) echo go ;;
    apt:cc) echo gcc ;; *:cc) echo gcc ;;
    pacman:pip) echo python-pip ;; apk:pip) echo py3-pip ;; *:pip) echo python3-pip ;;
  esac
}

# The package of this distribution that brings tool $1 in a version that fits, or nothing.
package_for() {
  local name version
  for name in $(packages_for "$1"); do
    version=$(printf '%s\n' "$offered" | sed -n "s/^$name //p" | head -n 1)
    [ -n "$version" ] || continue
    case $1 in
      jdk) [ "${version%%[!0-9]*}" = "$jdk_wanted" ] ;;
      maven) version_at_least "$version" "$maven_wanted" ;;
      go) version_at_least "$version" "$go_wanted" ;;
    esac && echo "$name" && return
  done
}

install_command() { # packages...
  local sudo=
  [ "$(id -u)" = 0 ] || sudo='sudo '
  case $manager in
    apt) echo "${sudo}apt-get install -y $*" ;; dnf) echo "${sudo}dnf install -y $*" ;;
    pacman) echo "${sudo}pacman -S --needed $*" ;; apk) echo "${sudo}apk add $*" ;;
  esac
}

by_hand() {
  case $1 in
    jdk) echo "JDK 25: unpack one (for example https://adoptium.net/temurin/releases/?version=25) and point at it: export JAVA_HOME=/path/to/jdk-25" ;;
    maven) echo "Maven: unpack https://maven.apache.org/download.cgi and put it on the PATH: export PATH=/path/to/apache-maven/bin:\$PATH" ;;
    go) echo "Go: unpack https://go.dev/dl/ and put it on the PATH: export PATH=/path/to/go/bin:\$PATH" ;;
    cc) echo "C compiler: install gcc or clang with your distribution's tools" ;;
  esac
}

# Tells how to get each of the named tools: one command for what the distribution carries, a sentence for the rest.
tell_remedies() {
  local tool package packages='' rest='' manager offered all=
  manager=$(package_manager || true)
  for tool in "$@"; do all="$all $(packages_for "$tool")"; done
  # shellcheck disable=SC2086
  offered=$(offers $all || true)
  for tool in "$@"; do
    package=$(package_for "$tool" || true)
    if [ -n "$package" ]; then packages="$packages $package"; else rest="$rest $tool"; fi
  done
  if [ -n "$packages" ]; then say "  $(install_command $packages)"; fi
  for tool in $rest; do say "  $(by_hand "$tool")"; done
}

# Checks the named tools (jdk, maven, go, cc) and ends with 2 after naming everything that is missing.
need() {
  local tool version missing='' lines=''
  for tool in "$@"; do
    case $tool in
      jdk) find_jdk || { missing="$missing jdk" lines="$lines  JDK 25: $(found_java)"$'\n'; } ;;
      maven) version=$(maven_version || true)
        version_at_least "${version:-0}" $maven_wanted || { missing="$missing maven" lines="$lines  Maven $maven_wanted or later: $(found "$version" mvn)"$'\n'; } ;;
      go) version=$(go_version || true)
        version_at_least "${version:-0}" $go_wanted || { missing="$missing go" lines="$lines  Go $go_wanted or later: $(found "$version" go)"$'\n'; } ;;
      cc) command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null ||
        { missing="$missing cc" lines="$lines  a C compiler (for Go's race detector): none on the PATH"$'\n'; } ;;
    esac
  done
  [ -z "$missing" ] && return
  say "sandboxer: missing on this machine:"
  printf '%s' "$lines" >&2
  say "To mend it:"
  # shellcheck disable=SC2086
  tell_remedies $missing
  exit 2
}

found() { if [ -n "$1" ]; then echo "found only $1 ($(command -v "$2"))"; else echo "not on the PATH"; fi; }

found_java() {
  local folder
  if [ -n "${JAVA_HOME:-}" ]; then echo "JAVA_HOME=$JAVA_HOME is $(jdk_version "$JAVA_HOME" || echo "not a JDK")" && return; fi
  folder=$(java_home_on_path) || { echo "none in JAVA_HOME, ${SANDBOXER_JVM_DIR:-/usr/lib/jvm} or on the PATH" && return; }
  if [ ! -x "$folder/bin/javac" ] && [ "$(jdk_version "$folder" | cut -d. -f1)" = $jdk_wanted ]; then echo "$folder has no javac (a runtime only)"; else
    echo "found only $(jdk_version "$folder" || echo "an unknown version") ($folder)"; fi
}
