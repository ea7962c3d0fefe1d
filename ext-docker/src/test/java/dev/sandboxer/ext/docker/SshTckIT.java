package dev.sandboxer.ext.docker;

import dev.sandboxer.tck.Environment;
import dev.sandboxer.tck.ExtensionTck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The promises of every extension, on an Engine behind a real sshd. */
class SshTckIT extends ExtensionTck {

  @TempDir private static Path folder;
  private static SshMachine machine;

  @BeforeAll
  static void start() throws IOException {
    machine = new SshMachine(folder.resolve("ssh"));
  }

  @AfterAll
  static void stop() {
    machine.close();
  }

  @Override
  protected Environment environment() {
    try {
      return Environment.of(DockerProvider.class)
          .setting("host", "unix:///nowhere/docker.sock")
          .host(machine.host(Map.of()))
          .image(SandboxRequests.IMAGE)
          .boxd(Path.of(System.getProperty("sandboxer.boxd", "target/boxd")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
