package dev.sandboxer.ext.docker;

import dev.sandboxer.testing.TestPlatform;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** The Engine that the environment names, and platforms that use it or another one. */
final class DockerPlatform {

  private DockerPlatform() {}

  /** The socket of the Engine that the environment names. */
  static Path socket() {
    String host = System.getenv("SANDBOXER_DOCKER_HOST");
    if (host == null || !host.startsWith("unix://")) {
      throw new IllegalStateException(
          "these tests start real containers: set SANDBOXER_DOCKER_HOST to an Engine, such as"
              + " unix:///var/run/docker.sock");
    }
    return Path.of(host.substring("unix://".length()));
  }

  /** A platform with an Engine at another socket. */
  static TestPlatform of(Path home, Path socket) throws IOException {
    return new TestPlatform(home, settings(socket));
  }

  static Map<String, String> settings(Path socket) {
    return Map.of("host", "unix://" + socket);
  }

  /** A platform with the Engine that the environment names. */
  static TestPlatform of(Path home) throws IOException {
    return of(home, socket());
  }
}
