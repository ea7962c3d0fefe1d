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

# The benchmarks start and end the platform by this same script, in a home of their own.
run_bench() {
  local jar=$top/bench/target/sandboxer-bench.jar
  need_linux bench
  need jdk maven go
  open_home
  build
  build_bench "$jar"
  get_nsjail || die "the benchmarks need nsjail: ${fetch_problem:-it is not there}"
  [ -n "$dist_given" ] || unset SANDBOXER_DIST
  exec "$jdk/bin/java" -XX:+UseSerialGC -Xmx256m --enable-native-access=ALL-UNNAMED \
    "-Dbench.dist=$dist" "-Dbench.script=$top/sandboxer" "-Dbench.nsjail=$nsjail" -jar "$jar" "$@"
}

build_bench() {
  local log=$home/logs/bench-build.log
  if [ -f "$1" ] && [ -z "$(find "$top/bench/src/main" "$top/bench/pom.xml" -newer "$1" -print -quit)" ]; then return; fi
  say "building the benchmarks, log: $log"
  maven "$log" -DskipTests -f bench/pom.xml package || build_failed "$log"
}
