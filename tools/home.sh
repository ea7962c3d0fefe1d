# SANDBOXER_HOME: made, checked, locked. Sourced by ./sandboxer.
# shellcheck shell=bash

need_linux() {
  case $(uname -s) in
    Linux) ;;
    Darwin) die "\`$1\` needs Linux; on macOS the CLI works against a remote platform: export SANDBOXER_URL=https://... SANDBOXER_KEY=sbxk_..." 2 ;;
    *) die "\`$1\` needs Linux, and this is $(uname -s); the CLI works against a remote platform: set SANDBOXER_URL and SANDBOXER_KEY" 2 ;;
  esac
  case $(uname -m) in x86_64 | aarch64) ;; *) die "\`$1\` needs amd64 or arm64, and this is $(uname -m)" 2 ;; esac
}

machine() { case $(uname -m) in x86_64) echo amd64 ;; *) echo arm64 ;; esac; }

# Makes the home and its folders (only for this user) and proves that it can be written.
open_home() {
  local free why
  umask 077
  why=$(mkdir -p "$home" "$home"/{run,logs,cache,tools} 2>&1) || die "cannot use $home: ${why##*: }; set SANDBOXER_HOME to a folder that you may write"
  why=$( (echo probe >"$home/run/.probe") 2>&1) || die "cannot write in $home: ${why##*: }; free some space, or set SANDBOXER_HOME to another folder"
  rm -f "$home/run/.probe"
  free=$(df -Pk "$home" | awk 'NR==2 {print $4}')
  [ "${free:-0}" -ge 102400 ] || die "only $((${free:-0} / 1024)) MiB are free for $home, at least 100 are needed: free some space, or set SANDBOXER_HOME to another folder"
}

# One `up` or `down` at a time in one home. Descriptor 9 holds the lock until this script ends; children are started without it.
lock_home() {
  exec 9>"$home/run/command.lock"
  flock -n 9 && return
  say "another ./sandboxer is working in $home, waiting for it"
  flock -w 300 9 || die "another ./sandboxer has been working in $home for five minutes"
}

# A setting from the environment, else from sandboxer.properties, else $2.
setting() {
  local value=${!1:-}
  if [ -z "$value" ] && [ -r "$home/sandboxer.properties" ]; then value=$(sed -n "s/^ *$1 *[=:] *//p" "$home/sandboxer.properties" | tail -n 1); fi
  echo "${value:-$2}"
}

seconds_since() { # a time of `now`, in tenths
  local took=$((($(now) - $1) / 100))
  echo "$((took / 10)).$((took % 10)) s"
}
now() { date +%s%3N; }
