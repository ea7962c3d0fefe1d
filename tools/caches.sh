# The start-up caches of the command line and of the platform, built in the background at the end of `up`. Sourced by ./sandboxer.
# shellcheck shell=bash

# Locked during a training; contains the id of its process group.
training_file=$home/run/training

# In a process group of its own, so that Ctrl-C does not reach it and end_training can kill all of it.
start_training() {
  end_training
  exec 8>"$training_file"
  flock 8
  set -m
  train </dev/null >>"$home/logs/training.log" 2>&1 9>&- &
  set +m
  disown # else bash would report its end
  echo $! >&8
  exec 8>&-
}

# Kills a running training; the next `up` builds the missing caches.
end_training() {
  local group
  if training_ended -n; then return; fi
  read -r group <"$training_file" && kill -KILL -- "-$group" 2>/dev/null || true
  training_ended -w 10 || true
  rm -f "$home"/cache/*.new*
}

training_ended() { (exec 8<>"$training_file" && flock "$@" 8); }

train() {
  train_cli
  train_platform
}

# Once a build (2 s): later calls answer in a third of the time.
train_cli() {
  local jar cache
  find_jdk && jar=$(cli_jar) || return 0
  cache=$home/cache/cli-$(cache_key "$jar").aot
  [ -f "$cache" ] && return
  rm -f "$home"/cache/cli-*
  set_cli_command "$jar"
  if "${cli_command[0]}" "-XX:AOTCacheOutput=$cache.new" "${cli_command[@]:1}" train </dev/null >/dev/null 2>&1 9>&- && [ -f "$cache.new" ]; then
    mv "$cache.new" "$cache"
  fi
  rm -f "$cache".new*
}

# Ends the platform's recording of its classes, which pauses it for one to three seconds. A JDK without `AOT.end_recording` (it came with an update
# of 25) writes the recording when the platform ends.
record_platform() {
  local begin
  if [ -f "$platform_cache" ] || [ -s "$platform_cache.recorded" ]; then return; fi
  begin=$(now)
  cli_here ls >/dev/null 2>&1 || true # records the classes of a call as well
  if "$jdk/bin/jcmd" "$pid" AOT.end_recording >"$home/logs/training.log" 2>&1 </dev/null 9>&-; then
    done_step "start-up cache recorded" "$(seconds_since "$begin")"
  fi
}

# Builds the cache from a recording. The file of a recording that has not ended is empty.
train_platform() {
  local recorded=$platform_cache.recorded new=$platform_cache.new
  [ -s "$recorded" ] && [ ! -f "$platform_cache" ] || return 0
  if nice -n "${SANDBOXER_TRAINING_NICE:-19}" "${platform_command[0]}" -XX:AOTMode=create "-XX:AOTConfiguration=$recorded" "-XX:AOTCache=$new" "${platform_command[@]:1}"; then
    mv "$new" "$platform_cache"
  fi
  rm -f "$recorded" "$new"
}
