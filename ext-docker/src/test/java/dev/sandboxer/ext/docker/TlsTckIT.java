package dev.sandboxer.ext.docker;

import dev.sandboxer.tck.Environment;
import dev.sandboxer.tck.ExtensionTck;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The promises of every extension, on an Engine behind TLS with certificates on both sides. */
class TlsTckIT extends ExtensionTck {

  @TempDir private static Path folder;
  private static TlsDoor door;

  @BeforeAll
  static void start() throws GeneralSecurityException, IOException {
    door = new TlsDoor(folder, DockerPlatform.socket());
  }

  @AfterAll
  static void stop() throws IOException {
    door.close();
  }

  @Override
  protected Environment environment() {
    return Environment.of(DockerProvider.class)
        .setting("host", "unix:///nowhere/docker.sock")
        .host(door.host(Map.of()))
        .image(SandboxRequests.IMAGE)
        .boxd(Path.of(System.getProperty("sandboxer.boxd", "target/boxd")));
  }
}
