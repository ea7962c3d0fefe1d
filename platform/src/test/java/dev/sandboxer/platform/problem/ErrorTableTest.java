package dev.sandboxer.platform.problem;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of errors in docs/api.md says what the enum says. */
class ErrorTableTest {

  private static final Path GUIDE = Path.of("../docs/api.md");

  private static final Pattern ROW =
      Pattern.compile("^\\| `([A-Z_]+)` \\| (\\d{3}) \\| (yes|no) \\|", Pattern.MULTILINE);

  @Test
  void tableHasEveryCodeInOrder() throws IOException {
    List<String> documented =
        ROW.matcher(Files.readString(GUIDE))
            .results()
            .map(row -> "%s %s %s".formatted(row.group(1), row.group(2), row.group(3)))
            .toList();
    assertThat(documented)
        .containsExactlyElementsOf(Arrays.stream(ErrorCode.values()).map(this::row).toList());
  }

  private String row(ErrorCode code) {
    return "%s %d %s".formatted(code, code.status(), code.retryable() ? "yes" : "no");
  }
}
