# `sdk install`: what authors of extensions build against, into a local Maven repository. Sourced by ./sandboxer.
# shellcheck shell=bash

sdk() {
  case ${1:-} in
    install) shift && sdk_install "$@" ;;
    '' | -h | --help) sdk_usage ;;
    *) die "sdk: unknown verb $1 (it takes install)" 2 ;;
  esac
}

sdk_usage() { say "usage: ./sandboxer sdk install [--repo DIR]   puts core-api, extension-tck and boxd into the local Maven repository"; }

sdk_install() {
  local repo='' version junit jspecify work
  while [ $# -gt 0 ]; do
    case $1 in
      --repo) [ $# -gt 1 ] || die "sdk install: --repo needs a folder" 2 && repo=$2 && shift ;;
      --repo=*) repo=${1#--repo=} ;;
      -h | --help) sdk_usage && return ;;
      *) die "sdk install: unknown option $1 (it takes --repo DIR)" 2 ;;
    esac
    shift
  done
  repo=${repo:-$(maven_repository)}
  case $repo in /*) ;; *) repo=$origin/$repo ;; esac
  open_home
  need jdk
  sdk_build
  version=$(pom_value version) junit=$(pom_value version.junit) jspecify=$(pom_value version.jspecify)
  umask "$own_umask"
  mkdir -p "$repo" 2>/dev/null && [ -w "$repo" ] || die "sdk install: $repo cannot be written; name another folder with --repo DIR"
  work=$(mktemp -d)
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$work'" EXIT
  sdk_boxd "$work"
  sdk_module core-api "$work" && sdk_module extension-tck "$work"
  sdk_put core-api "$(dependency org.jspecify jspecify "$jspecify" compile)"
  sdk_put boxd ''
  sdk_put extension-tck "$(dependency dev.sandboxer core-api "$version" compile)$(dependency org.junit.jupiter junit-jupiter "$junit" compile)$(dependency dev.sandboxer boxd "$version" runtime)"
  say "installed dev.sandboxer core-api, extension-tck and boxd $version into $repo"
  say "depend on them:"
  sdk_snippet core-api provided
  sdk_snippet extension-tck test
}

# Where Maven itself would put it: an option in MAVEN_OPTS or MAVEN_ARGS, the user's settings, the usual folder.
maven_repository() {
  local word found=''
  for word in ${MAVEN_OPTS:-} ${MAVEN_ARGS:-}; do
    case $word in -Dmaven.repo.local=*) found=${word#*=} ;; esac
  done
  if [ -z "$found" ] && [ -r "$HOME/.m2/settings.xml" ]; then
    found=$(sed -n 's:.*<localRepository>\(.*\)</localRepository>.*:\1:p' "$HOME/.m2/settings.xml" | tail -n 1)
    found=${found/'${user.home}'/$HOME}
  fi
  echo "${found:-$HOME/.m2/repository}"
}

# The first value of an element of the root pom: its own version, or a property.
pom_value() { sed -n "s:.*<$1>\(.*\)</$1>.*:\1:p" "$top/pom.xml" | head -n 1; }

# As `up` builds, but only what the SDK has. A distribution that SANDBOXER_DIST names comes with modules that are built.
sdk_build() {
  local log=$home/logs/sdk-build.log
  [ -f "$top/extension-tck/pom.xml" ] || die "sdk install needs the sources: run it in a clone"
  if [ -n "$dist_given" ] && [ -f "$(module_jar core-api)" ] && [ -f "$(module_jar extension-tck)" ]; then return; fi
  need jdk maven go
  say "building the SDK, log: $log"
  build_modules "$log" core-api,extension-tck,boxd
}

module_jar() { echo "$top/$1/target/$1-$(pom_value version).jar"; }

# Binaries, sources and documentation of a module, each a jar in $2.
sdk_module() {
  cp "$(module_jar "$1")" "$2/$1.jar"
  "$jdk/bin/jar" --create --file "$2/$1-sources.jar" -C "$top/$1/src/main/java" .
  # Annotations of libraries need not be found for the documentation of our own types.
  "$jdk/bin/javadoc" -quiet --ignore-source-errors -Xdoclint:none --no-fonts -notimestamp -d "$2/$1-doc" -cp "$(module_jar core-api)" \
    -sourcepath "$top/$1/src/main/java" -subpackages dev.sandboxer >"$home/logs/sdk-javadoc.log" 2>&1 ||
    die "sdk install: the documentation of $1 cannot be made, see $home/logs/sdk-javadoc.log"
  "$jdk/bin/jar" --create --file "$2/$1-javadoc.jar" -C "$2/$1-doc" .
}

# One jar with the binaries for both architectures, where the suite looks for them.
sdk_boxd() {
  local arch from
  for arch in amd64 arm64; do
    from=$dist/boxd/linux-$arch/boxd
    if [ ! -f "$from" ]; then from=$top/boxd/target/linux-$arch/boxd; fi
    [ -f "$from" ] || die "there is no boxd for $arch: run ./sandboxer up once"
    mkdir -p "$1/boxd/dev/sandboxer/boxd/linux-$arch"
    cp "$from" "$1/boxd/dev/sandboxer/boxd/linux-$arch/boxd"
  done
  "$jdk/bin/jar" --create --file "$1/boxd.jar" -C "$1/boxd" dev
}

# Puts a module's jars and a pom without a parent into the repository, as Maven lays them out.
sdk_put() { # module, dependencies
  local to=$repo/dev/sandboxer/$1/$version part
  rm -rf "$to"
  mkdir -p "$to"
  for part in '' -sources -javadoc; do
    if [ -f "$work/$1$part.jar" ]; then cp "$work/$1$part.jar" "$to/$1-$version$part.jar"; fi
  done
  cat >"$to/$1-$version.pom" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>dev.sandboxer</groupId>
  <artifactId>$1</artifactId>
  <version>$version</version>
  <dependencies>$2
  </dependencies>
</project>
POM
}

dependency() { # group, artifact, version, scope
  printf '\n    <dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version><scope>%s</scope></dependency>' "$@"
}

sdk_snippet() { # artifact, scope: on standard output, to be pasted
  printf '<dependency>\n  <groupId>dev.sandboxer</groupId>\n  <artifactId>%s</artifactId>\n  <version>%s</version>\n  <scope>%s</scope>\n</dependency>\n' "$1" "$version" "$2"
}
