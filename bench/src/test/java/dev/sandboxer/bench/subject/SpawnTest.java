package dev.sandboxer.bench.subject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpawnTest {

  @Test
  void returnsWhenTheProgramHasEnded(@TempDir Path folder) throws Exception {
    Path made = folder.resolve("made");
    Spawn spawn = new Spawn(List.of("/bin/sh", "-c", "echo noise; : >>" + made));
    spawn.run();
    assertThat(made).exists();
    Files.delete(made);
    spawn.run();
    assertThat(made).exists();
  }

  @Test
  void aFailureIsAnError() {
    assertThatThrownBy(new Spawn(List.of("/nowhere/true"))::run)
        .hasMessageContaining("could not start [/nowhere/true]");
    assertThatThrownBy(new Spawn(List.of("/bin/sh", "-c", "exit 3"))::run)
        .hasMessageContaining("wait status 768");
  }
}
