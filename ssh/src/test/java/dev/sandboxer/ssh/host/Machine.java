package dev.sandboxer.ssh.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sandboxer.ssh.HostKeys;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshKey;
import dev.sandboxer.ssh.SshSettings;
import dev.sandboxer.ssh.SshTarget;
import dev.sandboxer.testing.SshServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** A real SSH server on loopback, and connections to it. */
final class Machine implements AutoCloseable {

  /** Notices within two seconds that the server is gone. */
  static final SshSettings QUICK =
      new SshSettings(4, 256, 8, 512 * 1024, Duration.ofSeconds(10), Duration.ofSeconds(1), 2);

  final SshServer server;
  final SshConnections connections;
  final SshHost host;

  Machine(Path folder, String... options) throws IOException {
    this(folder, QUICK, options);
  }

  Machine(Path folder, SshSettings settings, String... options) throws IOException {
    server = new SshServer(folder, options);
    connections = new SshConnections(settings);
    host = connections.host(target());
  }

  SshTarget target() throws IOException {
    return target(new SshKey.InFile(server.key(), Optional.empty()));
  }

  SshTarget target(SshKey key) throws IOException {
    return target(key, new HostKeys.Fingerprints(Set.of(server.fingerprint())));
  }

  SshTarget target(SshKey key, HostKeys known) {
    return new SshTarget(
        SshServer.user(), "127.0.0.1", server.port(), key, known, Optional.empty());
  }

  /** The id of the process that serves the first connection. */
  long session() throws SshException {
    return Long.parseLong(
        out("sh", "-c", "ps -o ppid= -p $PPID; echo $PPID").lines().toList().getLast().strip());
  }

  /** What a command writes; it must succeed. */
  String out(String... command) throws SshException {
    return out(SshCommand.of(command));
  }

  String out(SshCommand command) throws SshException {
    ExecResult result = host.exec(command, new OpenCall());
    assertThat(result.exited(0)).as("%s", result).isTrue();
    return result.stdout().text();
  }

  static SshException failing(SshException.Kind kind, ThrowingCallable action) {
    SshException failure = catchThrowableOfType(SshException.class, action);
    assertThat(failure).isNotNull();
    assertThat(failure.kind()).as("%s", failure).isEqualTo(kind);
    return failure;
  }

  @Override
  public void close() {
    connections.close();
    server.close();
  }
}
