package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.HostRef;
import dev.sandboxer.testing.SshServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** This machine as another one: a real sshd on loopback, and the Engine of the tests. */
final class SshMachine implements AutoCloseable {

  final SshServer server;

  SshMachine(Path folder, String... options) throws IOException {
    this(new SshServer(folder, options));
  }

  SshMachine(SshServer server) {
    this.server = server;
  }

  HostRef host(Map<String, Object> more) throws IOException {
    Map<String, Object> settings =
        new TreeMap<>(
            Map.of(
                "key_file", server.key().toString(),
                "host_key", List.of(server.fingerprint()),
                "docker_socket", DockerPlatform.socket().toString()));
    settings.putAll(more);
    return new HostRef(
            "machine", "ssh://%s@127.0.0.1:%d".formatted(SshServer.user(), server.port()))
        .withSettings(settings);
  }

  @Override
  public void close() {
    server.close();
  }
}
