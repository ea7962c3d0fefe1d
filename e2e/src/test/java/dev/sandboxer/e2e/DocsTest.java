package dev.sandboxer.e2e;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the pages tell people to type works as pasted, in order, by somebody with an empty home, and
 * prints what they say.
 */
class DocsTest {

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "docs/quickstart.md", "docs/api.md", "docs/cli.md"})
  void everyCommandWorksAsPasted(String page) throws IOException, InterruptedException {
    try (PageReader reader = new PageReader(folder)) {
      reader.follow(page);
    }
  }
}
