package dev.sandboxer.testing.report;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * Prints what a run of the tests comes to: the 25 slowest classes, what failed and passed when it
 * ran again, what failed.
 *
 * <p>Arguments: the project's folder, and the second since 1970 in which the run began.
 */
final class Main {

  private static final int SLOWEST = 25;
  private static final int SHOWN = 10;

  private final List<Suite> suites;
  private final Path top;
  private final PrintStream out;

  Main(Path top, FileTime since, PrintStream out) throws IOException {
    this.suites = new Reports().read(top, since);
    this.top = top;
    this.out = out;
  }

  public static void main(String... args) throws IOException {
    FileTime since = FileTime.from(Instant.ofEpochSecond(Long.parseLong(args[1])));
    new Main(Path.of(args[0]), since, System.out).print();
  }

  void print() {
    slowest();
    problems("FLAKY: failed, and passed when it ran again", TestCase::flaky);
    problems("FAILED", test -> !test.passed());
  }

  private void slowest() {
    int tests = suites.stream().mapToInt(suite -> suite.tests().size()).sum();
    out.printf("--- the slowest of %d classes with %d tests%n", suites.size(), tests);
    suites.stream()
        .sorted(Comparator.comparingDouble(suite -> -suite.seconds()))
        .limit(SLOWEST)
        .forEach(
            suite ->
                out.printf(
                    Locale.ROOT,
                    "%8.1f s %5d tests  %s%n",
                    suite.seconds(),
                    suite.tests().size(),
                    suite.name()));
  }

  private void problems(String title, Predicate<TestCase> which) {
    List<String> found =
        suites.stream()
            .flatMap(
                suite ->
                    suite.tests().stream()
                        .filter(which)
                        .map(
                            test ->
                                "%s.%s%n    %s%n    report: %s%n"
                                    .formatted(
                                        suite.name(),
                                        test.name(),
                                        test.problem().orElse("it says nothing"),
                                        top.relativize(suite.report()))))
            .toList();
    if (!found.isEmpty()) {
      out.printf("--- %s%n", title);
      found.stream().limit(SHOWN).forEach(out::print);
      if (found.size() > SHOWN) {
        out.printf("and %d more%n", found.size() - SHOWN);
      }
    }
  }
}
