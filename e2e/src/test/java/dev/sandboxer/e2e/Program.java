package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A program of this machine that a test runs to its end. */
final class Program {

  private Program() {}

  /** What it prints, errors too; it must succeed. */
  static String run(List<String> command) throws IOException, InterruptedException {
    return run(Path.of(""), Map.of(), command);
  }

  /** The same in a folder, with variables in addition to those of the test. */
  static String run(Path folder, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toAbsolutePath().toFile())
            .redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    return printed;
  }
}
