# `test` and `bench`: everything that CI runs, with what it needs. Sourced by ./sandboxer.
# shellcheck shell=bash

# The tests' own home, inside the ignored build output: a user's home is neither read nor written.
use_test_home() {
  home=$top/target/test-home
  export SANDBOXER_HOME=$home
  unset SANDBOXER_URL SANDBOXER_KEY SANDBOXER_NSJAIL
  open_home
}

run_tests() {
  local log status=0 begin
  need_linux test
  need jdk maven go cc
  use_test_home
  begin=$(now)
  get_nsjail || die "the tests need nsjail: $fetch_problem"
  export SANDBOXER_NSJAIL=$nsjail
  log=$home/logs/test.log
  say "building and testing everything (a few minutes), log: $log"
  (umask "$own_umask" && cd "$top" && mvn -B -ntp -Dstyle.color=never verify "$@" </dev/null 2>&1 | tee "$log" | progress) || status=$?
  say "--- what the runners said"
  closing_lines "$log" >&2
  [ $status = 0 ] || { failures "$log" >&2 && die "the tests failed (after $(seconds_since "$begin")), see $log"; }
  grep -q 'Tests run: [1-9]' "$log" || die "no test ran, see $log"
  if [ -n "${CI:-}" ] && grep -qE '^\[WARNING\] Tests run:.*Skipped: [1-9]' "$log"; then die "tests were skipped, see $log"; fi
  say "all tests passed in $(seconds_since "$begin")"
}

# One line a module and a test class; Go's closing lines as they are.
progress() { grep -E --line-buffered '^\[INFO\] Building Sandboxer|Tests run:.*(in|--) |^(ok|FAIL|---? FAIL)|^\[ERROR\]' || true; }

closing_lines() { grep -E '^\[(INFO|WARNING|ERROR)\] Tests run: [0-9]+, [^-]*$|^(\[INFO\] )?(ok|FAIL)[[:space:]]' "$1" || true; }

failures() { grep -E '^\[ERROR\]|^--- FAIL|^FAIL' "$1" | head -n 40; }

run_bench() {
  [ -x "$top/bench/run" ] || die "bench/run is not there" 2
  need_linux bench
  need jdk maven go
  open_home
  exec "$top/bench/run" "$@"
}
