package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Streams in which nothing moves for a while go on as if nothing had been. Property {@code
 * stall.seconds} makes the while longer, such as a minute.
 */
@ParameterizedClass
@EnumSource
class StalledStreamTest {

  private static final Duration STALL =
      Duration.ofSeconds(Math.clamp(Long.getLong("stall.seconds", 2), 1, 120));

  private static final int SIZE = 50_000_000;
  private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";
  private static final String OK = "HTTP/1.1 200 OK\r\n";

  @Parameter Via via;

  private final RelayHarness relay = new RelayHarness();
  private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor();

  @BeforeEach
  void watch() {
    var _ = watch.scheduleAtFixedRate(relay.streams::watch, 1, 1, TimeUnit.SECONDS);
  }

  @AfterEach
  void close() {
    watch.shutdownNow();
    relay.close();
  }

  @Test
  void a_stream_that_stalls_goes_on_afterwards() throws Exception {
    try (HostileBoxd boxd = new HostileBoxd(via, StalledStreamTest::serve)) {
      relay.put(1, 0, boxd.address());
      CompletableFuture<Void> all =
          CompletableFuture.allOf(
              running(this::download),
              running(this::readLate),
              running(this::upload),
              running(this::talk));
      all.get(STALL.toSeconds() + 60, TimeUnit.SECONDS);
    }
  }

  /** What boxd does, by the first byte after the head. */
  private static void serve(InputStream in, OutputStream out) throws IOException {
    switch (in.read()) {
      case 'd' -> {
        out.write(ascii(OK + "Content-Length: 8\r\n\r\nhalf"));
        stall();
        out.write(ascii("half"));
      }
      case 'r' -> {
        out.write(ascii(OK + "Content-Length: " + SIZE + "\r\n\r\n"));
        out.write(new byte[SIZE]);
      }
      case 'u' -> {
        stall();
        in.skipNBytes(SIZE - 1);
        out.write(ascii(OK + "Content-Length: 0\r\n\r\n"));
      }
      default -> throw new IOException("nothing was asked");
    }
    var _ = in.read();
  }

  private void download() throws IOException {
    try (RawClient client = post("d", 1)) {
      client.head();
      assertThat(new String(client.read(8), StandardCharsets.US_ASCII)).isEqualTo("halfhalf");
    }
  }

  private void readLate() throws IOException {
    try (RawClient client = post("r", 1)) {
      client.head();
      stall();
      assertThat(client.read(SIZE)).hasSize(SIZE);
    }
  }

  private void upload() throws IOException {
    try (RawClient client = post("u", SIZE)) {
      client.send(new byte[SIZE - 1]);
      assertThat(client.head()).startsWith("HTTP/1.1 200 ");
    }
  }

  private void talk() throws IOException {
    try (HostileBoxd other = new HostileBoxd(via, StalledStreamTest::echo);
        RelayHarness beside = new RelayHarness();
        RawClient client = new RawClient(beside.port())) {
      beside.put(1, 0, other.address());
      client.socket().setSoTimeout((int) STALL.plusSeconds(60).toMillis());
      client.send(
          "GET /dp/sb_abcdefghij0123456789/v1/exec/ws HTTP/1.1\r\nHost: localhost\r\n"
              + "Authorization: Bearer "
              + beside.allToken()
              + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
              + "Sec-WebSocket-Key: "
              + KEY
              + "\r\n\r\n");
      assertThat(client.head()).startsWith("HTTP/1.1 101 ");
      say(client, "before");
      stall();
      say(client, "after");
    }
  }

  /** Between the two the relay may have pinged this client. */
  private static void say(RawClient client, String word) throws IOException {
    client.send(Ws.fromClient(Ws.TEXT, word));
    Ws.Frame frame = Ws.read(client.in());
    while (frame.opcode() == Ws.PING) {
      frame = Ws.read(client.in());
    }
    assertThat(frame.text()).isEqualTo(word);
  }

  private static void echo(InputStream in, OutputStream out) throws IOException {
    out.write(ascii(BackPressureTest.switching(KEY)));
    while (true) {
      out.write(Ws.fromServer(Ws.TEXT, Ws.read(in).text()));
    }
  }

  private RawClient post(String first, int length) throws IOException {
    RawClient client = new RawClient(relay.port());
    client.socket().setSoTimeout((int) STALL.plusSeconds(60).toMillis());
    return client.send(
        "POST /dp/sb_abcdefghij0123456789/v1/files/upload?path=x HTTP/1.1\r\nHost: localhost\r\n"
            + "Authorization: Bearer "
            + relay.allToken()
            + "\r\nContent-Length: "
            + length
            + "\r\n\r\n"
            + first);
  }

  private static void stall() throws IOException {
    try {
      Thread.sleep(STALL);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private interface Io {
    void run() throws IOException;
  }

  private static CompletableFuture<Void> running(Io io) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                io.run();
                done.complete(null);
              } catch (IOException | RuntimeException | AssertionError e) {
                done.completeExceptionally(e);
              }
            });
    return done;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
