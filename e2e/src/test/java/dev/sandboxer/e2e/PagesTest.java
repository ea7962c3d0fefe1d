package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Every page with commands is followed by one test, and what is not run says why. */
class PagesTest {

  /** A fence of a shell that is not run, and one that does not say what it holds. */
  private static final Pattern SILENT =
      Pattern.compile("\\s*```(?:bash|shell|console|sh(?! docker$| norun: \\S.{9,}$).+|\\s*)");

  @Test
  void everyPageWithCommandsIsFollowedOnce() {
    List<String> followed = new ArrayList<>(Pages.PREPARED);
    followed.add(Pages.FIRST);
    followed.addAll(Pages.onARunningPlatform());
    followed.addAll(Pages.withAPlatformOfTheirOwn());
    assertThat(followed).containsExactlyInAnyOrderElementsOf(Pages.withCommands());
  }

  @Test
  void aPagesCommandsDecideWhereItIsFollowed() {
    assertThat(Pages.onARunningPlatform()).contains("docs/api.md").doesNotContain("docs/cli.md");
    assertThat(Pages.withAPlatformOfTheirOwn()).contains("docs/cli.md", "docs/operations.md");
  }

  @Test
  void whatIsNotRunSaysWhy() {
    List<String> silent = new ArrayList<>();
    for (String page : Pages.all()) {
      openings(Pages.text(page)).stream()
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
}
