package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links between the documents lead somewhere. */
class DocsLinksTest {

  private static final Pattern LINK =
      Pattern.compile("]\\((?!https?:)([^)#\\s]*)(?:#([^)\\s]*))?\\)");

  @Test
  void everyLinkHasATarget() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      LINK.matcher(Files.readString(page))
          .results()
          .filter(link -> !leadsSomewhere(page, link.group(1), link.group(2)))
          .forEach(link -> broken.add(Guide.CHECKOUT.relativize(page) + ": " + link.group()));
    }
    assertThat(broken).isEmpty();
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (Path folder : List.of(Guide.CHECKOUT, Guide.CHECKOUT.resolve("docs"))) {
      try (Stream<Path> files = Files.walk(folder, folder.equals(Guide.CHECKOUT) ? 1 : 5)) {
        files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
      }
    }
    return pages;
  }

  private static boolean leadsSomewhere(
      Path page, String path, @org.jspecify.annotations.Nullable String heading) {
    Path target = path.isEmpty() ? page : page.resolveSibling(path).normalize();
    return Files.exists(target) && (heading == null || headings(target).contains(heading));
  }

  private static List<String> headings(Path page) {
    try (Stream<String> lines = Files.lines(page)) {
      return lines.filter(line -> line.startsWith("#")).map(DocsLinksTest::anchor).toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  /** As GitHub makes them: lower case, without punctuation, hyphens for blanks. */
  private static String anchor(String heading) {
    return heading
        .replaceFirst("^#+ ", "")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N} _-]", "")
        .replace(' ', '-');
  }
}
