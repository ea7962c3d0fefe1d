# The platform's process: started, waited for, ended. Sourced by ./sandboxer.
# shellcheck shell=bash

pid_file=$home/run/platform.pid
log_file=$home/logs/platform.log

# When process $1 was started, in ticks since boot: with it a pid is never another process's. Nothing for one that has ended.
start_time() { sed -n -e 's/.*) //' -e '/^[^ZX]/p' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

# Sets `pid` and `started` when the platform of this home runs; it writes the file itself once it has locked the home.
running() {
  pid='' started=''
  if [ -r "$pid_file" ]; then read -r pid started <"$pid_file" || true; fi
  alive
}

# Whether the process that `pid` and `started` name is still there.
alive() { [ -n "$pid" ] && [ -n "$started" ] && [ "$(start_time "$pid")" = "$started" ]; }

listen_url() {
  local listen
  listen=$(setting SANDBOXER_LISTEN 127.0.0.1:8420)
  case $listen in *:*) ;; *) listen=127.0.0.1:$listen ;; esac
  case ${listen%:*} in 0.0.0.0 | '[::]' | '*' | '') listen=127.0.0.1:${listen##*:} ;; esac
  if [ -n "$(setting SANDBOXER_TLS_CERT '')" ]; then echo "https://$listen"; else echo "http://$listen"; fi
}

url() { cat "$home/url"; }

# The HTTP status of GET $1 (a whole URL) without needing curl, except for TLS.
status_of() {
  local rest=${1#*://} host port code=
  case $1 in https:*) curl -sk -o /dev/null -m 2 -w '%{http_code}' "$1" && return ;; esac
  host=${rest%%/*} port=${host##*:} host=${host%:*}
  host=${host#[} host=${host%]}
  (exec 3<>"/dev/tcp/$host/$port" && printf 'GET /%s HTTP/1.0\r\nHost: %s\r\n\r\n' "${rest#*/}" "${rest%%/*}" >&3 && read -r -t 2 _ code _ <&3 && echo "$code") 2>/dev/null || true
}

# Only the platform says where it listens: what answers elsewhere may be anyone's.
ready() { [ -r "$home/url" ] && [ "$(status_of "$(url)/v1/health/ready")" = 200 ]; }

port_answers() {
  local place
  place=$(listen_url)
  place=${place#*://}
  local host=${place%:*}
  host=${host#[} host=${host%]}
  (exec 3<>"/dev/tcp/$host/${place##*:}") 2>/dev/null
}

require_free_port() {
  ! port_answers || die "something else is listening on $(listen_url): stop it, or choose another address with SANDBOXER_LISTEN=127.0.0.1:PORT"
}

up() {
  local detach='' begin
  while [ $# -gt 0 ]; do
    case $1 in
      -d | --detach) detach=yes ;;
      -h | --help) say "usage: ./sandboxer up [--detach]   builds what changed, starts the platform and waits until it is ready" && return ;;
      *) die "up: unknown option $1 (it takes --detach)" 2 ;;
    esac
    shift
  done
  need_linux up
  open_home
  if running && ready; then tell_running && return; fi
  lock_home
  if running; then await_ready && tell_running && return; fi
  require_free_port
  begin=$(now)
  build
  find_jdk || need jdk
  require_free_port # again, after what may have been minutes
  choose_backend
  pid='' # from here on a Ctrl-C or a TERM ends the platform that this call starts
  trap '[ -z "$pid" ] || kill -TERM "$pid" 2>/dev/null || true' INT TERM HUP
  start_platform
  record_platform
  say "ready in $(seconds_since "$begin")"
  start_training
  tell_running
  if [ -z "$detach" ]; then stay; fi
}

start_platform() {
  local begin cache=()
  begin=$(now)
  say "starting the platform, log: $log_file"
  rm -f "$home/url"
  [ ! -f "$log_file" ] || mv -f "$log_file" "$log_file.1"
  set_platform_command
  if [ -f "$platform_cache" ]; then
    cache=("-XX:AOTCache=$platform_cache")
  elif [ ! -s "$platform_cache.recorded" ]; then
    rm -f "$home"/cache/platform-*
    cache=(-XX:AOTMode=record "-XX:AOTConfiguration=$platform_cache.recorded")
  fi
  [ -z "${nsjail:-}" ] || export SANDBOXER_NSJAIL=$nsjail
  cd "$home"
  setsid "${platform_command[0]}" "${cache[@]}" "${platform_command[@]:1}" </dev/null >"$log_file" 2>&1 9>&- &
  pid=$! started=$(start_time $!)
  await_ready
  done_step "platform and database started" "$(seconds_since "$begin")"
  tell_left_out
}

# Extensions that did not load and profiles that are wrong: the platform runs without them, so nobody else would say it.
tell_left_out() {
  sed -nE 's/.*"message":"(extension failed|kind of [a-z ]+ failed|profile file) ((\\.|[^"\\])*)".*/left out: \1 \2/p' "$log_file" | sed 's/\\"/"/g' | head -n 20 >&2
}

# Sets platform_command, and platform_cache to where the start-up cache for this jar and JDK is or will be.
set_platform_command() {
  local jar=$dist/platform/quarkus-run.jar
  [ -f "$jar" ] || die "$jar is not there: remove $top/dist/target and run ./sandboxer up again"
  platform_cache=$home/cache/platform-$(cache_key "$dist/platform").aot
  # What the JVM says of the cache would stand between the JSON lines: JDK 25 warns where two of its adapters have the same hash.
  platform_command=("$jdk/bin/java" "-Xlog:aot*=off" -XX:+UseSerialGC -Xms64m "-Xmx${SANDBOXER_HEAP:-256m}" -XX:+ExitOnOutOfMemoryError --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow
    "-Dcom.amazon.corretto.crypto.provider.tmpdir=$home/run") # where it unpacks its library for a moment: /tmp may forbid to execute
  # shellcheck disable=SC2206
  platform_command+=(${SANDBOXER_JAVA_OPTS:-} -jar "$jar")
}

await_ready() {
  local deadline=$((SECONDS + 180))
  until ready; do
    alive || start_failed
    [ $SECONDS -lt $deadline ] || die "the platform (process $pid) is not ready after 180 s, see $log_file"
    sleep 0.05
  done
}

# The platform says in one line of its own why it cannot start; without one the end of its log must do.
start_failed() {
  local why
  why=$(sed -n 's/^sandboxer: //p' "$log_file" | tail -n 1)
  [ -z "$why" ] || die "$why (log: $log_file)"
  say "the platform ended while starting; the last lines of $log_file:"
  tail -n 8 "$log_file" | cut -c1-400 | sed 's/^/  /' >&2
  die "the platform did not start, see $log_file"
}

tell_running() {
  say "Sandboxer is running: $(url)"
  say "  open it in a browser: what runs here, its health, the API explorer"
  say "  key: $home/admin.key (the CLI finds it by itself)"
  say "  try: $(command_here) run $(profile_option)-- echo hello"
}

# What `run` must be told where its own choice, the profile `local`, is not the one that works here.
profile_option() {
  local profile=''
  if [ -r "$home/run/backend" ]; then read -r profile <"$home/run/backend" || true; fi
  case $profile in '' | local) ;; *) echo "--profile $profile " ;; esac
}

# How to call this script from where the user stands.
command_here() {
  if [ "${origin:-}" = "$top" ]; then echo ./sandboxer; else echo "$top/sandboxer"; fi
}

# In the foreground until the platform ends.
stay() {
  say "Ctrl-C ends it (sandboxes stay and are found again at the next start)"
  exec 9>&-
  # Waits first: bash 5.2 loses a trap that it has to run while it parses `$(...)`, as in alive.
  while { wait "$pid" || true; } && alive; do :; done
  end_training
  say "ended"
}

down() {
  local destroy='' left
  while [ $# -gt 0 ]; do
    case $1 in
      --destroy-all) destroy=yes ;;
      -h | --help) say "usage: ./sandboxer down [--destroy-all]   ends the platform; sandboxes stay unless told otherwise" && return ;;
      *) die "down: unknown option $1 (it takes --destroy-all)" 2 ;;
    esac
    shift
  done
  need_linux down
  [ -d "$home/run" ] || { say "not running ($home is not there)" && return; }
  lock_home
  end_training
  running || { say "not running" && return; }
  find_jdk || true
  if [ -n "$destroy" ]; then destroy_all; fi
  left=$(count_sandboxes)
  end_platform
  case $left in 0) say "ended; no sandbox is left" ;; '') say "ended" ;; 1) say "ended; 1 sandbox goes on: the next \`up\` finds it, \`down --destroy-all\` ends it" ;; *) say "ended; $left sandboxes go on: the next \`up\` finds them, \`down --destroy-all\` ends them" ;; esac
}

cli_here() { # like cli, but as a child
  local jar
  [ -n "${jdk:-}" ] && jar=$(cli_jar) || return 1
  set_cli_command "$jar"
  SANDBOXER_URL='' SANDBOXER_KEY='' "${cli_command[@]}" "$@" 9>&-
}

# What ends the platform is about every tenant's sandboxes; the home's key is an administrator's.
destroy_all() {
  cli_here whoami >/dev/null || die "so no sandbox was destroyed and the platform still runs: put an administrator's key into $home/admin.key, or end it without: ./sandboxer down"
  cli_here rm --all --all-tenants >&2 || die "not every sandbox could be destroyed; the platform still runs"
}
# How many sandboxes there are; nothing when nobody could be asked.
count_sandboxes() {
  local ids
  ids=$(cli_here ls --quiet --all-tenants --state requested,provisioning,ready,active 2>/dev/null) || return 0
  printf '%s' "${ids:+$ids$'\n'}" | wc -l | tr -d ' '
}

end_platform() {
  local deadline=$((SECONDS + 180))
  [ -z "$(find "$home/cache" -name 'platform-*.recorded' -empty)" ] || say "recording the start-up cache (a few seconds)"
  kill -TERM "$pid"
  while alive; do
    [ $SECONDS -lt $deadline ] || die "the platform (process $pid) has not ended after 180 s, see $log_file"
    sleep 0.05
  done
  rm -f "$home/url"
}

# A command that the platform's own program runs while the platform is down: its verb here, its name there.
offline() {
  need_linux "$1"
  find_jdk || need jdk
  [ -f "$dist/platform/quarkus-run.jar" ] || die "nothing is built yet: ./sandboxer up"
  cd "$home" 2>/dev/null || die "there is no home at $home"
  exec "$jdk/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
    -jar "$dist/platform/quarkus-run.jar" "$2"
}
