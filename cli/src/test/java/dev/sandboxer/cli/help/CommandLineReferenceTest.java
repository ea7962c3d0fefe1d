package dev.sandboxer.cli.help;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The reference is what the program says of itself. */
class CommandLineReferenceTest {

  @Test
  void theReferenceIsWhatTheCommandLineMakes() throws IOException {
    CommandLineRun made = new CommandLineRun();
    assertThat(made.run("reference")).as(made.err()).isZero();
    assertThat(Files.readString(Path.of("..", "docs/reference/cli.md")))
        .as(
            "docs/reference/cli.md is not what the program says now. Generate it again with a build of"
                + " this, and commit it:%n%n  ./sandboxer reference > docs/reference/cli.md%n")
        .isEqualTo(made.out());
  }
}
