package dev.sandboxer.dataplane.websocket;

import static dev.sandboxer.testing.sandbox.LyingSandbox.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.testing.sandbox.LyingSandbox;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WebSocketsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int BINARY = 0x82;
  private static final byte[] CLOSE = frame(0x88, new byte[] {3, (byte) 0xe8});

  private final WebSockets webSockets = new WebSockets();

  @AfterEach
  void close() {
    webSockets.close();
  }

  private WebSocket open(LyingSandbox server, Listener listener)
      throws IOException, InterruptedException {
    return webSockets.open(
        URI.create("ws://127.0.0.1:" + server.port()), Map.of("X-Mine", "1"), "", listener);
  }

  @Test
  void whatFollowsTheHandshakeAtOnceArrivesWhole() throws Exception {
    byte[] burst = new byte[500_000];
    for (int i = 0; i < burst.length; i++) {
      burst[i] = (byte) (i % 251);
    }
    try (LyingSandbox server = LyingSandbox.sending(frame(BINARY, burst), CLOSE)) {
      for (int call = 0; call < 100; call++) {
        Collecting listener = new Collecting();
        open(server, listener);
        assertThat(listener.end().get(30, TimeUnit.SECONDS)).isEqualTo(burst);
      }
      assertThat(server.heads()).hasSize(100).allMatch(head -> head.contains("X-Mine: 1\r\n"));
    }
  }

  @Test
  void nothingIsReadWhileTheListenerIsBusy() throws Exception {
    byte[] piece = new byte[64 << 10];
    Busy listener = new Busy();
    try (LyingSandbox server =
        new LyingSandbox(
            line -> {
              line.accept();
              while (true) {
                line.send(frame(BINARY, piece));
              }
            })) {
      WebSocket socket = open(server, listener);
      long before = awaitStandstill(server::written);
      listener.free.countDown();
      Awaitility.await().atMost(PATIENCE).until(() -> server.written() > before);
      socket.abort();
    }
  }

  @Test
  void answersToPingsDoNotPileUp() throws Exception {
    int pieces = 2_000;
    int each = 100;
    byte[] ping = frame(0x89, new byte[125]);
    byte[] piece = new byte[each * ping.length];
    for (int i = 0; i < each; i++) {
      System.arraycopy(ping, 0, piece, i * ping.length, ping.length);
    }
    CompletableFuture<Long> answered = new CompletableFuture<>();
    Collecting listener = new Collecting();
    try (LyingSandbox server =
        new LyingSandbox(
            line -> {
              line.accept();
              for (int i = 0; i < pieces; i++) {
                line.send(piece);
              }
              line.send(CLOSE);
              answered.complete(line.hold());
            })) {
      open(server, listener);
      assertThat(listener.end().get(30, TimeUnit.SECONDS)).isEmpty();
      assertThat(answered.get(30, TimeUnit.SECONDS))
          .isGreaterThan(ping.length)
          .isLessThan((long) pieces * piece.length / 2);
    }
  }

  @Test
  void aPingWaitsForNobodyWhoDoesNotRead() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    AtomicLong sent = new AtomicLong();
    try (LyingSandbox server =
        new LyingSandbox(
            line -> {
              line.accept();
              Busy.await(over);
            })) {
      WebSocket socket = open(server, new Collecting());
      Thread writer = Thread.ofVirtual().start(() -> sendForEver(socket, sent));
      awaitStandstill(sent::get);
      socket.ping(gone -> sent.set(-1));
      assertThat(sent.get()).isPositive();
      socket.abort();
      writer.join();
      CompletableFuture<WebSocketGone> told = new CompletableFuture<>();
      socket.ping(told::complete);
      assertThat(told.get(30, TimeUnit.SECONDS)).isNotNull();
      over.countDown();
    }
  }

  private static void sendForEver(WebSocket socket, AtomicLong sent) {
    try {
      while (true) {
        socket.binary(new byte[64 << 10]);
        sent.incrementAndGet();
      }
    } catch (WebSocketGone e) {
      // as it should be in the end
    }
  }

  /** Waits until a count no longer moves, and answers it. */
  private static long awaitStandstill(LongSupplier count) {
    AtomicLong before = new AtomicLong(-1);
    Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(200, TimeUnit.MILLISECONDS)
        .until(
            () -> {
              long now = count.getAsLong();
              return before.getAndSet(now) == now && now > 0;
            });
    return before.get();
  }

  @Test
  void anEndWithoutAWordIsTold() throws Exception {
    Collecting listener = new Collecting();
    try (LyingSandbox server = new LyingSandbox(LyingSandbox.Line::accept)) {
      open(server, listener);
      assertThatThrownBy(() -> listener.end().get(30, TimeUnit.SECONDS))
          .hasMessageContaining("without a word");
    }
  }

  @Test
  void aRefusalKeepsItsBodyAndAnEndlessOneIsCut() throws Exception {
    try (LyingSandbox server =
        LyingSandbox.answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nwhy")) {
      assertThatThrownBy(() -> open(server, new Collecting()))
          .isInstanceOfSatisfying(
              UpgradeRefused.class,
              refused -> {
                assertThat(refused.status()).isEqualTo(403);
                assertThat(refused.body()).isEqualTo("why");
              });
    }
    byte[] piece = "x".repeat(64 << 10).getBytes(StandardCharsets.US_ASCII);
    try (LyingSandbox server =
        new LyingSandbox(
            line -> {
              line.send("HTTP/1.1 403 Forbidden\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
              while (true) {
                line.send(piece);
              }
            })) {
      assertThatThrownBy(() -> open(server, new Collecting()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("longer than 262144 bytes");
    }
  }

  @Test
  void nobodyThereIsTold() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    URI nobody = URI.create("ws://127.0.0.1:" + port);
    assertThatThrownBy(() -> webSockets.open(nobody, Map.of(), "", new Collecting()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("refused");
  }

  @Test
  void aCertificateMustBeTrustedAndNameTheHost(@TempDir Path folder) throws Exception {
    Certificate certificate = Certificate.forLocalhost(folder);
    LyingSandbox.Script hello =
        line -> {
          line.accept();
          line.send(frame(BINARY, new byte[] {7}));
          line.send(CLOSE);
          line.hold();
        };
    try (LyingSandbox server = new LyingSandbox(hello, certificate.listen())) {
      URI named = URI.create("wss://localhost:" + server.port());
      URI unnamed = URI.create("wss://127.0.0.1:" + server.port());
      assertThatThrownBy(() -> webSockets.open(named, Map.of(), "", new Collecting()))
          .hasMessageContaining("unable to find valid certification path");
      try (WebSockets trusting = certificate.trusted()) {
        assertThatThrownBy(() -> trusting.open(unnamed, Map.of(), "", new Collecting()))
            .hasMessageContaining("No subject alternative names");
        Collecting listener = new Collecting();
        trusting.open(named, Map.of(), "", listener);
        assertThat(listener.end().get(30, TimeUnit.SECONDS)).isEqualTo(new byte[] {7});
      }
    }
  }
}
