package dev.sandboxer.platform.installation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of settings in docs/operations.md names each setting once. */
class SettingTableTest {

  private static final Path GUIDE = Path.of("../docs/operations.md");

  private static final Pattern ROW =
      Pattern.compile("^\\| `(SANDBOXER_\\w+)` \\|", Pattern.MULTILINE);

  @Test
  void tableHasEverySetting() throws IOException {
    List<String> documented =
        ROW.matcher(Files.readString(GUIDE)).results().map(row -> row.group(1)).toList();
    assertThat(documented)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Setting.values()).map(Setting::name).toList());
  }
}
