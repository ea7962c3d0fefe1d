package dev.sandboxer.platform.database;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.testing.ForkedJava;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresBinariesTest {

  @TempDir private Path cache;

  @Test
  void whoeverUnpacksAtTheSameTimeFindsThemWhole() throws Exception {
    List<Process> both = List.of(start(), start());
    for (Process process : both) {
      String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor()).as(printed).isZero();
    }
    assertThat(Path.of(PostgresBinaries.in(cache).program("postgres"))).isExecutable();
    assertThat(folders()).hasSize(1);
  }

  @Test
  void whatAKilledProcessLeftIsRemoved() throws IOException {
    Path left = Files.createDirectories(cache.resolve("unpacking-1234/bin"));
    Files.createFile(left.resolve("postgres"));
    PostgresBinaries.in(cache);
    assertThat(folders()).hasSize(1);
  }

  private Process start() {
    return new ForkedJava(List.of(), Map.of()).start(Unpacking.class, cache.toString());
  }

  private List<Path> folders() throws IOException {
    try (Stream<Path> all = Files.list(cache)) {
      return all.filter(Files::isDirectory).toList();
    }
  }

  /** A process that needs the programs. */
  static final class Unpacking {

    private Unpacking() {}

    /**
     * Unpacks them.
     *
     * @param arguments where to
     */
    public static void main(String[] arguments) {
      PostgresBinaries.in(Path.of(arguments[0]));
    }
  }
}
