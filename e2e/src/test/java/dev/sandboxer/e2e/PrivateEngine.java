package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A dockerd of one test, which may do to it what it likes. */
final class PrivateEngine implements AutoCloseable {

  private final Path folder;

  private PrivateEngine(Path folder) {
    this.folder = folder;
  }

  static PrivateEngine start() throws IOException {
    PrivateEngine engine = new PrivateEngine(Files.createTempDirectory("sbxd"));
    engine.startAgain();
    return engine;
  }

  Engine engine() {
    return new Engine(folder.resolve("docker.sock"));
  }

  /** Starts it, or starts it again on the same folder. */
  void startAgain() {
    script("start");
  }

  /** Ends the daemon alone: by TERM as its service manager does, or with -9. */
  void end(boolean kill) {
    ProcessHandle daemon =
        ProcessHandle.of(Long.parseLong(read(folder.resolve("docker.pid")))).orElseThrow();
    assertThat(kill ? daemon.destroyForcibly() : daemon.destroy()).isTrue();
    await().atMost(Duration.ofMinutes(1)).until(() -> !daemon.isAlive());
  }

  void copyImage(Engine from, String image) {
    run(
        List.of(
            "bash",
            "-c",
            "docker -H \"$0\" save \"$2\" | docker -H \"$1\" load",
            from.host(),
            engine().host(),
            image));
  }

  @Override
  public void close() {
    script("end");
  }

  private void script(String verb) {
    run(
        List.of(
            "bash", Guide.CHECKOUT.resolve("tools/docker.sh").toString(), verb, folder.toString()));
  }

  private static void run(List<String> command) {
    try {
      ProcessBuilder builder = new ProcessBuilder(command);
      builder
          .environment()
          .merge("PATH", System.getenv("SANDBOXER_TEST_DOCKERD"), (path, own) -> own + ":" + path);
      builder.redirectErrorStream(true);
      builder.redirectOutput(Path.of("/dev/null").toFile());
      Process process = builder.start();
      assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
