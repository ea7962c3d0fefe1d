package dev.sandboxer.testing.report;

import java.io.IOException;
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

  private Main() {}

  public static void main(String... args) throws IOException {
    Path top = Path.of(args[0]);
    FileTime since = FileTime.from(Instant.ofEpochSecond(Long.parseLong(args[1])));
    List<Suite> suites = new Reports().read(top, since);
    slowest(suites);
    problems("FLAKY: failed, and passed when it ran again", suites, TestCase::flaky, top);
    problems("FAILED", suites, test -> !test.passed(), top);
  }

  private static void slowest(List<Suite> suites) {
    int tests = suites.stream().mapToInt(suite -> suite.tests().size()).sum();
    System.out.printf("--- the slowest of %d classes with %d tests%n", suites.size(), tests);
    suites.stream()
        .sorted(Comparator.comparingDouble(suite -> -suite.seconds()))
        .limit(SLOWEST)
        .forEach(
            suite ->
                System.out.printf(
                    Locale.ROOT,
                    "%8.1f s %5d tests  %s%n",
                    suite.seconds(),
                    suite.tests().size(),
                    suite.name()));
  }

  private static void problems(
      String title, List<Suite> suites, Predicate<TestCase> which, Path top) {
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
      System.out.printf("--- %s%n", title);
      found.stream().limit(SHOWN).forEach(System.out::print);
      if (found.size() > SHOWN) {
        System.out.printf("and %d more%n", found.size() - SHOWN);
      }
    }
  }
}
