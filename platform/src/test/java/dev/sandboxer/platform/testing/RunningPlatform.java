package dev.sandboxer.platform.testing;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The packaged platform in a process of its own. */
public final class RunningPlatform implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Path home;
  private final Path output;
  private final Process process;

  private RunningPlatform(Path home, Path output, Process process) {
    this.home = home;
    this.output = output;
    this.process = process;
  }

  /**
   * Starts it, on a port of the kernel's choice.
   *
   * @param home its home
   * @param environment added to this process's
   * @param arguments of the command line
   * @return the process, perhaps not ready yet
   */
  public static RunningPlatform start(
      Path home, Map<String, String> environment, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("--sun-misc-unsafe-memory-access=allow", "-jar"));
    command.add(Path.of("target/quarkus-app/quarkus-run.jar").toAbsolutePath().toString());
    command.addAll(List.of(arguments));
    try {
      Files.deleteIfExists(home.resolve("url"));
      Path output = Files.createTempFile("platform", ".log");
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
      builder.environment().put("SANDBOXER_HOME", home.toString());
      builder.environment().put("SANDBOXER_LISTEN", "127.0.0.1:0");
      builder.environment().putAll(environment);
      return new RunningPlatform(home, output, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Waits until it serves.
   *
   * @return itself
   */
  public RunningPlatform ready() {
    await().atMost(PATIENCE).until(() -> Files.exists(home.resolve("url")) || !process.isAlive());
    if (!process.isAlive()) {
      throw new IllegalStateException("it has ended: " + output());
    }
    return this;
  }

  /**
   * Its process id.
   *
   * @return the id
   */
  public long pid() {
    return process.pid();
  }

  /**
   * Asks for one path.
   *
   * @param path such as {@code /v1/health}
   * @return the status, 0 if nothing answers
   */
  public int status(String path) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      URI uri = URI.create(Files.readString(home.resolve("url")).strip() + path);
      return client
          .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
          .statusCode();
    } catch (IOException e) {
      return 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  /** Sends SIGTERM and waits for the end. */
  public void terminate() {
    process.destroy();
    code();
  }

  /** Sends SIGKILL and waits for the end. */
  public void kill() {
    process.destroyForcibly();
    code();
  }

  /**
   * Waits for the end.
   *
   * @return the exit code
   */
  public int code() {
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException("it does not end: " + output());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * What it has written.
   *
   * @return both outputs
   */
  public String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    terminate();
  }
}
