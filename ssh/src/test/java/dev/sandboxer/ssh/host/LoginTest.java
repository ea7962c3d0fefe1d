package dev.sandboxer.ssh.host;

import static dev.sandboxer.ssh.host.Machine.failing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.ssh.HostKeys;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshException.Kind;
import dev.sandboxer.ssh.SshKey;
import dev.sandboxer.ssh.SshSettings;
import dev.sandboxer.ssh.SshTarget;
import dev.sandboxer.testing.FreePort;
import dev.sandboxer.testing.SshServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets in where, and what is said where nobody does. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoginTest {

  @TempDir private static Path folder;
  private static Machine machine;

  @BeforeAll
  static void start() throws IOException {
    machine = new Machine(folder.resolve("main"));
  }

  @AfterAll
  static void stop() {
    machine.close();
  }

  @ParameterizedTest
  @CsvSource({
    "ed25519, ''",
    "ecdsa, ''",
    "rsa, ''",
    "ed25519, open sesame",
    "rsa, open sesame",
  })
  void eachKindOfKeyLogsIn(String type, String passphrase) throws IOException {
    String name = type + passphrase.length();
    Path file = machine.server.newKey(name, type, passphrase);
    machine.server.allow(name);
    logIn(machine.target(new SshKey.InFile(file, given(passphrase))));
  }

  @Test
  void aKeyInPkcs8LogsInAsText() throws IOException {
    Path file = machine.server.newKey("pkcs8", "ecdsa", "", "-m", "PKCS8");
    machine.server.allow("pkcs8");
    logIn(machine.target(new SshKey.Given(Files.readString(file), Optional.empty())));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "wrong"})
  void withoutItsPassphraseAKeyIsOfNoUse(String passphrase) throws IOException {
    String name = "locked" + passphrase;
    SshKey key =
        new SshKey.InFile(machine.server.newKey(name, "ed25519", "right"), given(passphrase));
    SshException failure = failing(Kind.PASSPHRASE, () -> logIn(machine.target(key)));
    assertThat(failure).hasMessageContaining(passphrase.isEmpty() ? "none was given" : "is wrong");
  }

  @Test
  void whatIsNoKeyIsNotRepeated() {
    SshKey key = new SshKey.Given("my secret text", Optional.empty());
    SshException failure = failing(Kind.KEY_UNREADABLE, () -> logIn(machine.target(key)));
    assertThat(failure.toString() + failure.getCause() + key).doesNotContain("secret text");
    SshKey missing = new SshKey.InFile(folder.resolve("missing"), Optional.empty());
    assertThat(failing(Kind.KEY_UNREADABLE, () -> logIn(machine.target(missing))))
        .hasMessageContaining("/missing");
  }

  @Test
  void anotherKeyIsRefused() throws IOException {
    SshKey key = new SshKey.InFile(machine.server.newKey("other", "ed25519", ""), Optional.empty());
    assertThat(failing(Kind.KEY_REFUSED, () -> logIn(machine.target(key))))
        .hasMessageContaining("authorized_keys");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theServerIsKnownByAFile(boolean hashed) throws IOException {
    logIn(known(machine.server.knownHosts(hashed)));
  }

  @Test
  void anUnknownServerIsRefusedWithItsFingerprint() throws IOException {
    Path empty = Files.createFile(folder.resolve("empty"));
    assertThat(failing(Kind.HOST_KEY_UNKNOWN, () -> logIn(known(empty))))
        .hasMessageContaining(machine.server.fingerprint());
  }

  @Test
  void aRevokedKeyIsRefused() throws IOException {
    Path list = machine.server.knownHosts(false);
    String line = Files.readString(list);
    Files.writeString(list, line + "@revoked " + line);
    assertThat(failing(Kind.HOST_KEY_CHANGED, () -> logIn(known(list))))
        .hasMessageContaining("revokes");
  }

  @Test
  void aServerWithAnotherKeyIsRefusedWithBothFingerprints() throws IOException {
    try (Machine other = new Machine(folder.resolve("changing"))) {
      String before = other.server.fingerprint();
      Path list = other.server.knownHosts(false);
      other.out("true");
      other.server.changeHostKey();
      for (HostKeys known :
          Set.of(new HostKeys.Fingerprints(Set.of(before)), new HostKeys.KnownHosts(list))) {
        assertThat(
                failing(
                    Kind.HOST_KEY_CHANGED, () -> logIn(other.target(other.target().key(), known))))
            .hasMessageContaining(before)
            .hasMessageContaining(other.server.fingerprint());
      }
    }
  }

  @Test
  void whereNobodyListensThatIsSaid() throws IOException {
    assertThat(failing(Kind.UNREACHABLE, () -> logIn(at("127.0.0.1", FreePort.find()))))
        .hasMessageContaining("nobody listens");
    assertThat(failing(Kind.UNREACHABLE, () -> logIn(at("no-such-host.invalid", 22))))
        .hasMessageContaining("not known to DNS");
  }

  @Test
  void aServerThatSaysNothingIsGivenUp() throws IOException {
    SshSettings quick =
        new SshSettings(1, 1, 1, 65536, Duration.ofMillis(500), Duration.ofSeconds(1), 1);
    try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        SshConnections connections = new SshConnections(quick)) {
      SshHost host = connections.host(at("127.0.0.1", mute.getLocalPort()));
      assertThat(failing(Kind.UNREACHABLE, () -> host.exec(SshCommand.of("true"), new OpenCall())))
          .hasMessageContaining("no login within");
      failing(
          Kind.TIMEOUT,
          () -> host.exec(SshCommand.of("true"), new OpenCall(Duration.ofMillis(100))));
    }
  }

  @Test
  void aCallThatIsCancelledDoesNotWaitForTheServer() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        SshConnections connections = new SshConnections(SshSettings.DEFAULT)) {
      SshHost host = connections.host(at("127.0.0.1", mute.getLocalPort()));
      OpenCall call = new OpenCall();
      Thread canceller =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (var _ = mute.accept()) {
                      call.cancel();
                    } catch (IOException e) {
                      throw new IllegalStateException(e);
                    }
                  });
      failing(Kind.CANCELLED, () -> host.exec(SshCommand.of("true"), call));
      canceller.join();
    }
  }

  @Test
  void aJumpIsCheckedByItsOwnKeysAndCarriesAll() throws IOException {
    try (Machine jump = new Machine(folder.resolve("jump"));
        SshConnections connections = new SshConnections(Machine.QUICK)) {
      SshHost behind = connections.host(via(machine.target(), jump.target()));
      assertThat(behind.exec(SshCommand.of("echo", "hello"), new OpenCall()).stdout().text())
          .isEqualTo("hello\n");
      assertThat(jump.server.logins()).isEqualTo(1);
      SshTarget wrong =
          jump.target(
              jump.target().key(), new HostKeys.Fingerprints(Set.of(machine.server.fingerprint())));
      assertThat(failing(Kind.HOST_KEY_CHANGED, () -> logIn(via(machine.target(), wrong))))
          .hasMessageContaining(jump.target().server());
      SshTarget impostor = machine.target(machine.target().key(), wrongFor(machine));
      assertThat(failing(Kind.HOST_KEY_CHANGED, () -> logIn(via(impostor, jump.target()))))
          .hasMessageContaining(machine.target().server());
      assertThat(
              failing(
                  Kind.FORWARDING,
                  () -> logIn(via(at("127.0.0.1", FreePort.find()), jump.target()))))
          .hasMessageContaining(jump.target().server());
    }
  }

  private static HostKeys wrongFor(Machine machine) throws IOException {
    String own = machine.server.fingerprint();
    return new HostKeys.Fingerprints(Set.of("SHA256:" + own.substring(8) + "A"));
  }

  private static SshTarget via(SshTarget target, SshTarget jump) {
    return new SshTarget(
        target.user(),
        target.host(),
        target.port(),
        target.key(),
        target.hostKeys(),
        Optional.of(jump));
  }

  private static SshTarget known(Path list) throws IOException {
    return machine.target(machine.target().key(), new HostKeys.KnownHosts(list));
  }

  private static SshTarget at(String host, int port) throws IOException {
    SshTarget known = machine.target();
    return new SshTarget(
        SshServer.user(), host, port, known.key(), known.hostKeys(), Optional.empty());
  }

  private static Optional<String> given(String passphrase) {
    return passphrase.isEmpty() ? Optional.empty() : Optional.of(passphrase);
  }

  private static void logIn(SshTarget target) throws SshException {
    try (SshConnections connections = new SshConnections(Machine.QUICK)) {
      assertThat(connections.host(target).exec(SshCommand.of("true"), new OpenCall()).exited(0))
          .isTrue();
    }
  }
}
