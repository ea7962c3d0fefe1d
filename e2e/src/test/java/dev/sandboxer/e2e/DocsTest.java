package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the pages tell people to type works as pasted, in order, by somebody with an empty home, and
 * prints what they say. Every page with commands is followed here; those that come with programs
 * have tests of their own, which save the programs first.
 */
class DocsTest {

  /** Its reader has nothing at all: a new machine. */
  private static final String FIRST_PAGE = "docs/quickstart.md";

  private static final Pattern COMMANDS = Pattern.compile("^```sh(?: docker)?$", Pattern.MULTILINE);

  /** A fence of a shell that is not run, and one that does not say what it holds. */
  private static final Pattern SILENT =
      Pattern.compile("\\s*```(?:bash|shell|console|sh(?! docker$| norun: \\S.{9,}$).+|\\s*)");

  private static final Set<String> WITH_PROGRAMS =
      Set.of(ExtensionGuideTest.PAGE, ClientsPageTest.PAGE);

  @TempDir private Path folder;

  @ParameterizedTest
  @MethodSource("pagesWithCommands")
  void everyCommandWorksAsPasted(String page) throws IOException, InterruptedException {
    try (PageReader reader = new PageReader(folder)) {
      if (!page.equals(FIRST_PAGE)) {
        reader.prepared();
      }
      reader.follow(page);
    }
  }

  static Stream<String> pagesWithCommands() throws IOException {
    return pages().stream()
        .filter(page -> !WITH_PROGRAMS.contains(page))
        .filter(page -> COMMANDS.matcher(text(page)).find());
  }

  @Test
  void whatIsNotRunSaysWhy() throws IOException {
    List<String> silent = new ArrayList<>();
    for (String page : pages()) {
      openings(text(page)).stream()
          .filter(SILENT.asMatchPredicate())
          .map(fence -> page + ": " + fence)
          .forEach(silent::add);
    }
    assertThat(silent).as("write ```sh, ```sh docker, ```sh norun: REASON or ```text").isEmpty();
  }

  @Test
  void aFenceWithoutAWordIsSilentAndAnEndIsNone() {
    assertThat(openings("```sh\na\n```\n\n```\nb\n```\n  ```bash\n  c\n  ```\n"))
        .containsExactly("```sh", "```", "  ```bash")
        .filteredOn(SILENT.asMatchPredicate())
        .containsExactly("```", "  ```bash");
  }

  /** The lines with which fences begin: every other one. */
  private static List<String> openings(String text) {
    List<String> fences = text.lines().filter(line -> line.strip().startsWith("```")).toList();
    return IntStream.range(0, fences.size())
        .filter(number -> number % 2 == 0)
        .mapToObj(fences::get)
        .toList();
  }

  private static List<String> pages() throws IOException {
    List<String> pages = new ArrayList<>(List.of("README.md", "CONTRIBUTING.md"));
    try (Stream<Path> files = Files.walk(Guide.CHECKOUT.resolve("docs"))) {
      files
          .map(file -> Guide.CHECKOUT.relativize(file).toString())
          .filter(file -> file.endsWith(".md"))
          .sorted()
          .forEach(pages::add);
    }
    return pages;
  }

  private static String text(String page) {
    return Guide.textOf(Guide.CHECKOUT.resolve(page));
  }
}
