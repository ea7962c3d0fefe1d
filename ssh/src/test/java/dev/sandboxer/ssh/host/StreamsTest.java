package dev.sandboxer.ssh.host;

import static dev.sandboxer.ssh.host.Machine.failing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.ssh.SshException.Kind;
import dev.sandboxer.ssh.SshSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StreamsTest {

  @TempDir private static Path folder;
  private static Path echo;
  private static UnixServer echoes;
  private static Machine machine;

  @BeforeAll
  static void start() throws IOException {
    echo = folder.resolve("echo");
    echoes = new UnixServer(echo, UnixServer.ECHO);
    machine = new Machine(folder.resolve("main"));
  }

  @AfterAll
  static void stop() throws IOException {
    machine.close();
    echoes.close();
  }

  @Test
  void whatGoesInComesBackAndEndsAfterOurEnd() throws Exception {
    // The server asks for new keys in the middle.
    try (Machine rekeying = new Machine(folder.resolve("rekeying"), "RekeyLimit 4M");
        ByteStream stream = rekeying.host.openSocket(echo.toString(), new OpenCall())) {
      byte[] much = new byte[20_000_000];
      new Random(1).nextBytes(much);
      CompletableFuture<byte[]> back = readAll(stream, much.length);
      stream.write(ByteBuffer.wrap(much));
      assertThat(stream.closeOutput()).isTrue();
      assertThat(back.get()).isEqualTo(much);
    }
  }

  @Test
  void aStreamGoesToATcpPort() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        ByteStream stream =
            machine.host.openTcp("127.0.0.1", server.getLocalPort(), new OpenCall());
        Socket accepted = server.accept()) {
      accepted.getOutputStream().write("hello".getBytes(StandardCharsets.UTF_8));
      accepted.shutdownOutput();
      assertThat(text(stream)).isEqualTo("hello");
    }
  }

  @Test
  void aThousandStreamsShareFourConnections() throws Exception {
    List<ByteStream> open = new ArrayList<>();
    try (Machine busy = new Machine(folder.resolve("busy"))) {
      for (int i = 0; i < busy.host.maxStreams(); i++) {
        open.add(busy.host.openSocket(echo.toString(), new OpenCall()));
      }
      assertThat(open).hasSize(1024);
      assertThat(busy.host.connections()).isEqualTo(4);
      for (ByteStream stream : open) {
        ping(stream);
      }
      failing(
          Kind.TIMEOUT,
          () -> busy.host.openSocket(echo.toString(), new OpenCall(Duration.ofMillis(200))));
      open.getFirst().close();
      try (ByteStream next = busy.host.openSocket(echo.toString(), new OpenCall())) {
        ping(next);
      }
      assertThat(busy.server.logins()).isEqualTo(4);
    } finally {
      open.forEach(ByteStream::close);
    }
  }

  @Test
  void aWriterWaitsLongerThanAnyTimeLimit() throws Exception {
    Path path = folder.resolve("slow");
    CountDownLatch go = new CountDownLatch(1);
    SshSettings brief =
        new SshSettings(1, 8, 8, 65536, Duration.ofSeconds(2), Duration.ofSeconds(1), 1);
    try (UnixServer _ =
            new UnixServer(
                path,
                channel -> {
                  go.await();
                  UnixServer.ECHO.serve(channel);
                });
        Machine slow = new Machine(folder.resolve("slow-server"), brief);
        ByteStream stream = slow.host.openSocket(path.toString(), new OpenCall())) {
      byte[] much = new byte[8_000_000];
      new Random(2).nextBytes(much);
      CompletableFuture<byte[]> back = readAll(stream, much.length);
      Thread writer = Thread.ofVirtual().start(() -> writeQuietly(stream, much));
      // Longer than sshj's own limit, which is the connection's, 2 s here.
      assertThat(writer.join(Duration.ofMillis(3500))).isFalse();
      go.countDown();
      assertThat(back.get()).isEqualTo(much);
    }
  }

  @Test
  void aStreamThatNobodyReadsHoldsUpNoOther() throws IOException {
    Path path = folder.resolve("unread");
    try (UnixServer _ = new UnixServer(path, UnixServer.FLOOD);
        ByteStream unread = machine.host.openSocket(path.toString(), new OpenCall());
        ByteStream other = machine.host.openSocket(echo.toString(), new OpenCall())) {
      assertThat(unread.read(ByteBuffer.allocate(10))).isPositive();
      for (int i = 0; i < 100; i++) {
        ping(other);
      }
    }
  }

  @Test
  void streamsThatFloodAreClosedWithoutHarmToOthers() throws IOException {
    Path path = folder.resolve("flood");
    try (UnixServer _ = new UnixServer(path, UnixServer.FLOOD);
        ByteStream other = machine.host.openSocket(echo.toString(), new OpenCall())) {
      long logins = machine.server.logins();
      for (int i = 0; i < 200; i++) {
        ByteStream flood = machine.host.openSocket(path.toString(), new OpenCall());
        assertThat(flood.read(ByteBuffer.allocate(1000))).isPositive();
        flood.close();
        flood.close();
        assertThatThrownBy(() -> flood.read(ByteBuffer.allocate(1)))
            .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> flood.write(ByteBuffer.allocate(1)))
            .isInstanceOf(IOException.class);
      }
      ping(other);
      assertThat(machine.server.logins()).isEqualTo(logins);
    }
  }

  @Test
  void closingWakesWhoReadsAndWritesAtOnce() throws Exception {
    Path path = folder.resolve("stuck");
    try (UnixServer _ = new UnixServer(path, _ -> Thread.sleep(Duration.ofMinutes(5)));
        ByteStream other = machine.host.openSocket(echo.toString(), new OpenCall())) {
      ByteStream stuck = machine.host.openSocket(path.toString(), new OpenCall());
      Thread reader = Thread.ofVirtual().start(() -> readQuietly(stuck));
      Thread writer = Thread.ofVirtual().start(() -> writeQuietly(stuck, new byte[8_000_000]));
      await().until(() -> waits(reader) && waits(writer));
      long begin = System.nanoTime();
      stuck.close();
      reader.join();
      writer.join();
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
      ping(other);
    }
  }

  /** The JDK closes a socket under a virtual thread that is interrupted while it writes. */
  @Test
  void interruptedWritersAndReadersDoNoHarmToOthers() throws Exception {
    Path path = folder.resolve("sink");
    try (UnixServer _ =
            new UnixServer(
                path,
                channel -> {
                  ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
                  while (channel.read(buffer.clear()) >= 0) {}
                });
        ByteStream other = machine.host.openSocket(echo.toString(), new OpenCall())) {
      long logins = machine.server.logins();
      for (int round = 0; round < 10; round++) {
        List<ByteStream> streams = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
          ByteStream stream = machine.host.openSocket(path.toString(), new OpenCall());
          streams.add(stream);
          threads.add(
              Thread.ofVirtual()
                  .start(
                      () -> {
                        while (!Thread.currentThread().isInterrupted()
                            && writeQuietly(stream, new byte[100_000])) {}
                      }));
        }
        ping(other);
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
          thread.join();
        }
        streams.forEach(ByteStream::close);
      }
      ping(other);
      assertThat(machine.server.logins()).isEqualTo(logins);
    }
  }

  @Test
  void anOpeningThatIsCancelledLeavesNothing() throws Exception {
    OpenCall over = new OpenCall();
    over.cancel();
    failing(Kind.CANCELLED, () -> machine.host.openSocket(echo.toString(), over));
    try (ByteStream stream = machine.host.openSocket(echo.toString(), new OpenCall())) {
      ping(stream);
    }
  }

  @Test
  void aCallThatIsOverDoesNotEndItsStream() throws IOException {
    OpenCall call = new OpenCall();
    try (ByteStream stream = machine.host.openSocket(echo.toString(), call)) {
      call.cancel();
      ping(stream);
    }
  }

  @Test
  void whatIsWrongWithASocketIsSaid() throws IOException {
    failing(Kind.INVALID, () -> machine.host.openSocket("relative", new OpenCall()));
    failing(Kind.INVALID, () -> machine.host.openSocket("/" + "x".repeat(107), new OpenCall()));
    assertThat(
            failing(
                Kind.SOCKET_MISSING,
                () -> machine.host.openSocket(folder.resolve("none").toString(), new OpenCall())))
        .hasMessageContaining("there is no socket");
    Path file = Files.createFile(folder.resolve("file"));
    failing(Kind.SOCKET_MISSING, () -> machine.host.openSocket(file.toString(), new OpenCall()));
    Path deaf = folder.resolve("deaf");
    new UnixServer(deaf, UnixServer.ECHO).close();
    failing(Kind.FORWARDING, () -> machine.host.openSocket(deaf.toString(), new OpenCall()));
  }

  @Test
  void aServerThatForbidsForwardingIsNamedWithItsOption() throws IOException {
    for (String option : List.of("AllowStreamLocalForwarding", "AllowTcpForwarding")) {
      try (Machine strict = new Machine(folder.resolve(option), option + " no")) {
        assertThat(
                failing(
                    Kind.FORWARDING, () -> strict.host.openSocket(echo.toString(), new OpenCall())))
            .hasMessageContaining(option);
      }
    }
  }

  static void ping(ByteStream stream) throws IOException {
    stream.write(ByteBuffer.wrap(new byte[] {42}));
    ByteBuffer one = ByteBuffer.allocate(1);
    assertThat(stream.read(one)).isEqualTo(1);
    assertThat(one.get(0)).isEqualTo((byte) 42);
  }

  static boolean waits(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        || thread.getState() == Thread.State.TIMED_WAITING;
  }

  static boolean writeQuietly(ByteStream stream, byte[] bytes) {
    try {
      stream.write(ByteBuffer.wrap(bytes));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  static void readQuietly(ByteStream stream) {
    try {
      stream.read(ByteBuffer.allocate(1));
    } catch (IOException e) {
      // what the test wants
    }
  }

  private static CompletableFuture<byte[]> readAll(ByteStream stream, int most) {
    return CompletableFuture.supplyAsync(
        () -> {
          ByteBuffer all = ByteBuffer.allocate(most + 1);
          try {
            while (all.position() < most && stream.read(all) >= 0) {}
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
          return Arrays.copyOf(all.array(), all.position());
        },
        task -> Thread.ofVirtual().start(task));
  }

  private static String text(ByteStream stream) throws IOException {
    ByteBuffer all = ByteBuffer.allocate(1000);
    while (stream.read(all) >= 0) {}
    return new String(all.array(), 0, all.position(), StandardCharsets.UTF_8);
  }
}
