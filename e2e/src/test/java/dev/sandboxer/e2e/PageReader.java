package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Somebody who stands beside the script and types what a page says: with an empty home, or with
 * that of a running platform. Closing it leaves nothing running but that platform.
 */
final class PageReader implements AutoCloseable {

  private static final int MINUTES = 15;

  private final Path folder;
  private final Map<String, String> more = new HashMap<>();
  private final int port;

  PageReader(Path folder) throws IOException {
    this(folder, FreePort.find());
  }

  /** One who uses a running platform. */
  PageReader(Path folder, Platform platform) throws IOException {
    this(folder, platform.url().getPort());
    Files.createSymbolicLink(home(), platform.home());
  }

  private PageReader(Path folder, int port) throws IOException {
    this.folder = folder;
    this.port = port;
    Files.createSymbolicLink(script(), Guide.CHECKOUT.resolve("sandboxer"));
  }

  private Path script() {
    return folder.resolve("sandboxer");
  }

  private Path home() {
    return folder.resolve(".sandboxer");
  }

  PageReader with(String name, String value) {
    more.put(name, value);
    return this;
  }

  /** Spares the default home what {@link Prepared} has: for readers who are not the first. */
  PageReader prepared() throws IOException {
    Prepared.lend(home());
    return this;
  }

  /** Runs every command of a page and compares what is printed with what the page promises. */
  void follow(String page) throws IOException, InterruptedException {
    Guide guide = Guide.read(Guide.CHECKOUT.resolve(page));
    Path log = folder.resolve("output.log");
    int status = bash(guide.script(), log);
    String printed = asTheReaderSees(Files.readString(log));
    for (Guide.Block block : guide.blocks()) {
      check(page, block, printed);
    }
    assertThat(status).as("exit code of the page's commands, which printed%n%s", printed).isZero();
  }

  private static void check(String page, Guide.Block block, String printed) {
    String place = page + ":" + block.line();
    String output =
        block
            .outputIn(printed)
            .orElseThrow(() -> new AssertionError(place + " was not reached:\n" + printed));
    block
        .expected()
        .ifPresent(
            expected ->
                assertThat(expected.matches(output))
                    .as("%s promises%n%s%nand prints%n%s", place, expected.text(), output)
                    .isTrue());
  }

  /** The default port, the script where the reader stands, no limits that this machine lacks. */
  private String asTheReaderSees(String output) {
    return output
        .replace("127.0.0.1:" + port, "127.0.0.1:8420")
        .replace(Guide.CHECKOUT.resolve("sandboxer").toString(), "./sandboxer")
        .replaceAll(", not enforced: [a-z ]+", "");
  }

  private int bash(String script, Path log) throws IOException, InterruptedException {
    Path file = Files.writeString(folder.resolve("commands.sh"), script);
    ProcessBuilder builder =
        new ProcessBuilder("bash", file.toString())
            .directory(folder.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("SANDBOXER_URL"));
    builder.environment().remove("SANDBOXER_KEY");
    builder.environment().remove("SANDBOXER_HOME");
    builder.environment().putAll(surroundings());
    builder.environment().putAll(more);
    Process process = builder.start();
    if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new AssertionError("still running: " + Files.readString(log));
    }
    return process.exitValue();
  }

  private Map<String, String> surroundings() {
    return Map.of(
        "HOME", folder.toString(),
        "SANDBOXER_JAVA_OPTS", "-XX:TieredStopAtLevel=1",
        "JAVA_HOME", System.getProperty("java.home"),
        "SANDBOXER_DIST", Platform.dist().toString(),
        "SANDBOXER_LISTEN", "127.0.0.1:" + port);
  }

  @Override
  public void close() throws IOException {
    if (Files.isSymbolicLink(home())) {
      Files.delete(home());
    } else {
      end();
    }
    Files.delete(script());
  }

  private void end() throws IOException {
    try {
      bash("./sandboxer down --destroy-all", folder.resolve("after.log"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
