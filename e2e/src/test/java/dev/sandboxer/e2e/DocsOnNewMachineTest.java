package dev.sandboxer.e2e;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As {@link DocsTest}, for the first page: its reader has nothing but the sources. */
class DocsOnNewMachineTest {

  @Test
  void everyCommandWorksAsPasted(@TempDir Path folder) throws IOException, InterruptedException {
    try (PageReader reader = new PageReader(folder)) {
      reader.follow(Pages.FIRST);
    }
  }
}
