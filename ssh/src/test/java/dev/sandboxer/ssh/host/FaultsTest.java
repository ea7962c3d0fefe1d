package dev.sandboxer.ssh.host;

import static dev.sandboxer.ssh.host.Machine.failing;
import static dev.sandboxer.ssh.host.StreamsTest.ping;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.ssh.SshException.Kind;
import dev.sandboxer.ssh.SshKey;
import dev.sandboxer.ssh.SshSettings;
import dev.sandboxer.ssh.host.ExecResult.ConnectionLost;
import dev.sandboxer.ssh.wire.SshConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that die or freeze. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FaultsTest {

  @TempDir private Path folder;
  private Path echo;
  private UnixServer echoes;
  private Machine machine;

  @BeforeEach
  void start() throws IOException {
    echo = folder.resolve("echo");
    echoes = new UnixServer(echo, UnixServer.ECHO);
    machine = new Machine(folder.resolve("main"));
  }

  @AfterEach
  void stop() throws IOException {
    machine.close();
    echoes.close();
  }

  @Test
  void aConnectionThatIsKilledIsNoticedAtOnceAndReplaced() throws Exception {
    try (ByteStream stream = machine.host.openSocket(echo.toString(), new OpenCall())) {
      CompletableFuture<ExecResult> running =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return machine.host.exec(
                      SshCommand.of(
                          "sh",
                          "-c",
                          "echo $$ >\"$0.new\"; mv \"$0.new\" \"$0\"; exec sleep 1000",
                          folder.resolve("begun").toString()),
                      new OpenCall());
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              },
              task -> Thread.ofVirtual().start(task));
      await().until(() -> Files.exists(folder.resolve("begun")));
      signal("KILL");
      assertThatThrownBy(() -> stream.read(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
      assertThat(running.get().end()).isInstanceOf(ConnectionLost.class);
    }
    try (ByteStream next = machine.host.openSocket(echo.toString(), new OpenCall())) {
      ping(next);
    }
    assertThat(machine.server.logins()).isEqualTo(2);
    // Nobody ends a command whose connection was lost.
    kill(Long.parseLong(Files.readString(folder.resolve("begun")).strip()));
  }

  /** Whoever hears of the end of a stream may ask for another connection meanwhile. */
  @Test
  void nobodyWaitsForAConnectionThatIsEnding() throws Exception {
    CompletableFuture<Boolean> alive = new CompletableFuture<>();
    CompletableFuture<SshConnection> connection = new CompletableFuture<>();
    SshConnection.Dialer dialer = new SshConnection.Dialer(SshSettings.DEFAULT);
    connection.complete(
        dialer.connect(
            machine.target(new SshKey.InFile(machine.server.key(), Optional.empty())),
            Optional.empty(),
            new OpenCall()));
    ByteStream stream =
        connection
            .join()
            .openUnix(
                echo.toString(),
                () -> {
                  Thread.ofVirtual().start(() -> alive.complete(connection.join().alive()));
                  alive.orTimeout(20, TimeUnit.SECONDS).exceptionally(e -> true).join();
                },
                new OpenCall());
    machine.server.sessions().forEach(ProcessHandle::destroyForcibly);
    assertThatThrownBy(() -> stream.read(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
    assertThat(alive.join()).isFalse();
    connection.join().close();
  }

  @Test
  void aFrozenServerIsNoticedByKeepAlive() throws Exception {
    try (ByteStream stream = machine.host.openSocket(echo.toString(), new OpenCall())) {
      long session = signal("STOP");
      long begin = System.nanoTime();
      assertThatThrownBy(() -> stream.read(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(8));
      kill(session);
    }
    machine.out("true");
  }

  /** The keep-alive's own question would wait behind what nobody takes. */
  @Test
  void aFrozenServerIsNoticedWhileMuchIsWritten() throws Exception {
    try (ByteStream stream = machine.host.openSocket(echo.toString(), new OpenCall())) {
      Thread reader =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
                      while (stream.read(buffer.clear()) >= 0) {}
                    } catch (IOException e) {
                      // what the test wants
                    }
                  });
      CompletableFuture<Boolean> writer =
          CompletableFuture.supplyAsync(
              () -> {
                while (StreamsTest.writeQuietly(stream, new byte[100_000])) {}
                return true;
              },
              task -> Thread.ofVirtual().start(task));
      long session = signal("STOP");
      assertThat(writer.orTimeout(10, java.util.concurrent.TimeUnit.SECONDS).get()).isTrue();
      reader.join();
      kill(session);
    }
  }

  @Test
  void closingWaitsForNobodyAndLeavesNoThread() throws Exception {
    ByteStream stream = machine.host.openSocket(echo.toString(), new OpenCall());
    long session = signal("STOP");
    long begin = System.nanoTime();
    machine.connections.close();
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(1));
    assertThatThrownBy(() -> stream.write(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
    failing(Kind.LOST, () -> machine.host.exec(SshCommand.of("true"), new OpenCall()));
    String port = ":" + machine.server.port();
    await()
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().contains(port)));
    kill(session);
  }

  @Test
  void aServerThatComesBackIsFoundAgain() throws Exception {
    machine.out("true");
    long session = machine.session();
    machine.server.stop();
    kill(session);
    await()
        .untilAsserted(
            () ->
                failing(
                    Kind.UNREACHABLE,
                    () -> machine.host.exec(SshCommand.of("true"), new OpenCall())));
    machine.server.start();
    machine.out("true");
  }

  private long signal(String name) throws IOException {
    long session = machine.session();
    new ProcessBuilder("kill", "-" + name, "" + session).start().onExit().join();
    return session;
  }

  private static void kill(long session) throws IOException {
    new ProcessBuilder("kill", "-KILL", "" + session).start().onExit().join();
  }
}
