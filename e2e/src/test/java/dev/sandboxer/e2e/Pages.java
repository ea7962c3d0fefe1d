package dev.sandboxer.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The project's documents, by their paths below {@link Guide#CHECKOUT}. */
final class Pages {

  /** Its reader has nothing at all: a new machine. */
  static final String FIRST = "docs/quickstart.md";

  /**
   * Pages whose readers have programs or a project have tests of their own, which save these first.
   */
  static final Set<String> PREPARED =
      Set.of(
          ExtensionGuideTest.PAGE, ClientsPageTest.PAGE, ClientsPageTest.LIBRARY, ComposeTest.PAGE);

  private static final Predicate<String> COMMANDS =
      Pattern.compile("^```sh(?: docker)?$", Pattern.MULTILINE).asPredicate();

  /** A command that starts or stops a platform. */
  private static final Predicate<String> START =
      Pattern.compile(
              "^```sh(?: docker)?\\n(?:(?!```).*\\n)*?.*(?:sandboxer (?:up|down)\\b|quarkus-run)",
              Pattern.MULTILINE)
          .asPredicate();

  private Pages() {}

  static List<String> all() {
    try (Stream<Path> files = Files.walk(Guide.CHECKOUT.resolve("docs"))) {
      return Stream.concat(
              Stream.of("README.md", "CONTRIBUTING.md"),
              files
                  .map(file -> Guide.CHECKOUT.relativize(file).toString())
                  .filter(file -> file.endsWith(".md"))
                  .sorted())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Pages with commands. */
  static List<String> withCommands() {
    return all().stream().filter(page -> COMMANDS.test(text(page))).toList();
  }

  /** Pages whose commands work on any running platform. */
  static List<String> onARunningPlatform() {
    return others().filter(page -> !START.test(text(page))).toList();
  }

  /** Pages that start or stop a platform. */
  static List<String> withAPlatformOfTheirOwn() {
    return others().filter(page -> START.test(text(page))).toList();
  }

  private static Stream<String> others() {
    return withCommands().stream().filter(page -> !PREPARED.contains(page) && !page.equals(FIRST));
  }

  static String text(String page) {
    return Guide.textOf(Guide.CHECKOUT.resolve(page));
  }
}
