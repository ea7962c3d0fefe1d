package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The references are what the program and the platform say of themselves. */
class ReferenceTest {

  @Test
  void theReferencesAreWhatTheCommandLineMakes() throws IOException {
    try (Platform platform = Platform.start(Map.of())) {
      Cli cli = new Cli(platform);
      check("docs/reference/cli.md", cli.run("reference"), "./sandboxer reference");
      check("docs/reference/api.md", cli.run("reference", "--api"), "./sandboxer reference --api");
      check(
          "docs/reference/events.md",
          cli.run("reference", "--events"),
          "./sandboxer reference --events");
    }
  }

  private static void check(String page, Cli.Result made, String command) throws IOException {
    assertThat(made.code()).as(made.err()).isZero();
    Path file = Guide.CHECKOUT.resolve(page);
    assertThat(Files.exists(file) ? Files.readString(file) : "")
        .as(
            "%s is not what the program says now. Make it anew, on a running platform of this"
                + " build (./sandboxer up --detach), and commit it:%n%n  %s > %s%n",
            page, command, page)
        .isEqualTo(made.out());
  }
}
