package dev.sandboxer.testing.report;

import java.util.Optional;

/**
 * How one test ended.
 *
 * @param problem how the message of its first failure begins; absent where it passed at once
 * @param passed whether it passed, at once or when it ran again
 */
record TestCase(String name, Optional<String> problem, boolean passed) {

  boolean flaky() {
    return passed && problem.isPresent();
  }

  /** The same test, run again: gotestsum reports each run on its own. */
  TestCase and(TestCase again) {
    return new TestCase(name, problem.or(again::problem), passed || again.passed);
  }
}
