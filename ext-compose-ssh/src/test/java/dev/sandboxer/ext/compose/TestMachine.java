package dev.sandboxer.ext.compose;

import dev.sandboxer.spi.HostRef;
import dev.sandboxer.testing.SshServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** This machine as another one: a real sshd on loopback, and the Engine of the tests. */
final class TestMachine implements AutoCloseable {

  static final String IMAGE = "sandboxer-test/busybox:latest";

  final SshServer server;
  private final Path folder;

  TestMachine(String... options) throws IOException {
    // Short: sockets lie below it.
    folder = Files.createTempDirectory(Path.of("/tmp"), "sbxc");
    server = new SshServer(folder.resolve("ssh"), options);
    // The user's home there is the server's folder.
    Path plugins = Files.createDirectories(folder.resolve("ssh/.docker/cli-plugins"));
    Files.createSymbolicLink(plugins.resolve("docker-compose"), program("docker-compose"));
  }

  private static Path program(String name) {
    return Arrays.stream(System.getenv("PATH").split(":", -1))
        .map(place -> Path.of(place, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("the tests need " + name + " on PATH"));
  }

  Path remoteFolder() {
    return folder.resolve("r");
  }

  HostRef host(Map<String, Object> more) throws IOException {
    Map<String, Object> settings =
        new TreeMap<>(
            Map.of(
                "key_file", server.key().toString(),
                "host_key", List.of(server.fingerprint()),
                "remote_dir", remoteFolder().toString(),
                "docker_socket", socket(),
                "path", System.getenv("PATH")));
    settings.putAll(more);
    return new HostRef("machine", address()).withSettings(settings);
  }

  String address() {
    return "ssh://%s@127.0.0.1:%d".formatted(SshServer.user(), server.port());
  }

  static String socket() {
    return System.getenv()
        .getOrDefault("SANDBOXER_DOCKER_HOST", "unix:///var/run/docker.sock")
        .replaceFirst("^unix://", "");
  }

  /** Ends the processes that serve connections, and nothing that they started. */
  void dropConnections() {
    server.sessions().forEach(ProcessHandle::destroyForcibly);
  }

  @Override
  public void close() {
    server.close();
  }
}
