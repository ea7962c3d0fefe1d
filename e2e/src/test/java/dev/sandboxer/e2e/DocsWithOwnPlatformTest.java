package dev.sandboxer.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * As {@link DocsTest}, for pages that start or stop a platform: each is followed by somebody with
 * an empty home.
 */
class DocsWithOwnPlatformTest {

  @ParameterizedTest
  @MethodSource("pages")
  void everyCommandWorksAsPasted(String page, @TempDir Path folder)
      throws IOException, InterruptedException {
    try (PageReader reader = new PageReader(folder)) {
      reader.prepared().follow(page);
    }
  }

  static List<String> pages() {
    return Pages.withAPlatformOfTheirOwn();
  }
}
