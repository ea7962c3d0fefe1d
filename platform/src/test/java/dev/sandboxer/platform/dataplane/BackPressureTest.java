package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A side that stops reading stops the other one, and loses nothing. */
@ParameterizedClass
@EnumSource
class BackPressureTest {

  @Parameter Via via;

  private static final int LONG = 100_000_000;
  private static final int FRAME = 10_000_000;

  /**
   * More than what the kernel may hold of a connection that was fast before (tcp_rmem, tcp_wmem: up
   * to 36 MB), twice where another node is between; the side that never read holds little.
   */
  private static final int BUFFERS = 80_000_000;

  private static final byte[] BLOCK = new byte[64 * 1024];
  private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

  private final RelayHarness relay = new RelayHarness();
  private final AtomicLong moved = new AtomicLong();

  @AfterEach
  void close() {
    relay.close();
  }

  @Test
  void a_slow_reader_of_a_reply_stops_boxd() throws Exception {
    try (HostileBoxd boxd =
            new HostileBoxd(
                via,
                (in, out) -> {
                  out.write(ascii("HTTP/1.1 200 OK\r\nContent-Length: " + LONG + "\r\n\r\n"));
                  pour(out);
                });
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(get("/v1/health", ""));
      client.head();
      assertThat(settled()).isLessThan(BUFFERS);

      assertThat(client.read(LONG)).hasSize(LONG);
      await().until(() -> relay.streams.count() == 0);
    }
  }

  @Test
  void a_boxd_that_does_not_read_stops_the_upload() throws Exception {
    try (HostileBoxd boxd =
            new HostileBoxd(
                via,
                (in, out) -> {
                  waitFor(in, 0, "go");
                  out.write(ascii("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
                });
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(
          "POST /dp/sb_abcdefghij0123456789/v1/files/upload?path=x HTTP/1.1\r\nHost: localhost\r\n"
              + "Authorization: Bearer "
              + relay.allToken()
              + "\r\nContent-Length: "
              + LONG
              + "\r\n\r\n");
      Thread writer = Thread.ofPlatform().start(() -> quietly(() -> pour(out(client))));
      assertThat(settled()).isLessThan(BUFFERS);
      proceed.countDown();
      assertThat(client.head()).startsWith("HTTP/1.1 200 ");
      writer.join();
      assertThat(moved.get()).isEqualTo(LONG);
    }
  }

  @Test
  void a_slow_reader_of_a_web_socket_stops_boxd_and_loses_nothing() throws Exception {
    stopsAndLosesNothing("/v1/exec/ws", FRAME);
  }

  /** Not boxd's own words, and so not bounded as these are. */
  @Test
  void a_slow_reader_of_a_long_message_of_a_program_stops_it_and_loses_nothing() throws Exception {
    stopsAndLosesNothing("/v1/ports/8080/", LONG);
  }

  private void stopsAndLosesNothing(String path, int frame) throws Exception {
    try (HostileBoxd boxd =
            new HostileBoxd(
                via,
                (in, out) -> {
                  out.write(ascii(switching(KEY)));
                  out.write(Ws.fromServer(Ws.TEXT, "first"));
                  for (int left = LONG; left > 0; left -= frame) {
                    out.write(binaryHead(0, frame));
                    pour(out, frame);
                  }
                });
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(get(path, upgrade()));
      assertThat(client.head()).startsWith("HTTP/1.1 101 ");
      assertThat(settled()).isLessThan(BUFFERS);

      assertThat(Ws.read(client.in()).text()).isEqualTo("first");
      for (int left = LONG; left > 0; left -= frame) {
        assertThat(client.read(10)).isEqualTo(binaryHead(0, frame));
        assertThat(client.read(frame)).hasSize(frame);
      }
      if (via == Via.PEER) {
        assertThat(Ws.read(client.in()).status()).isEqualTo(1012);
      }
      assertThat(client.rest()).isEmpty();
      await().until(() -> relay.streams.count() == 0);
    }
  }

  @Test
  void a_boxd_that_does_not_read_stops_the_web_socket() throws Exception {
    try (HostileBoxd boxd =
            new HostileBoxd(
                via,
                (in, out) -> {
                  out.write(ascii(switching(KEY)));
                  waitFor(in, 14, "go");
                  out.write(Ws.fromServer(Ws.TEXT, "all"));
                });
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(get("/v1/exec/ws", upgrade()));
      client.head();
      client.send(binaryHead(0x80, LONG)).send(new byte[4]);
      Thread writer = Thread.ofPlatform().start(() -> quietly(() -> pour(out(client))));
      assertThat(settled()).isLessThan(BUFFERS);
      proceed.countDown();
      assertThat(Ws.read(client.in()).text()).isEqualTo("all");
      writer.join();
      assertThat(moved.get()).isEqualTo(LONG);
    }
  }

  private final java.util.concurrent.CountDownLatch proceed =
      new java.util.concurrent.CountDownLatch(1);

  private void waitFor(InputStream in, int before, String what) throws IOException {
    try {
      proceed.await();
    } catch (InterruptedException e) {
      throw new IOException("interrupted before " + what, e);
    }
    in.skipNBytes(before + LONG);
  }

  /** The head of one binary frame; a mask of zeros changes none. */
  private static byte[] binaryHead(int mask, int length) {
    return java.nio.ByteBuffer.allocate(10)
        .put((byte) 0x82)
        .put((byte) (mask | 127))
        .putLong(length)
        .array();
  }

  private void pour(OutputStream out) throws IOException {
    pour(out, LONG);
  }

  private void pour(OutputStream out, int length) throws IOException {
    for (int left = length; left > 0; ) {
      int part = Math.min(left, BLOCK.length);
      out.write(BLOCK, 0, part);
      left -= part;
      moved.addAndGet(part);
    }
  }

  /** How much had moved when it stopped moving. */
  private long settled() {
    AtomicLong last = new AtomicLong(-1);
    await()
        .pollInterval(Duration.ofMillis(300))
        .until(() -> moved.get() > 0 && moved.get() == last.getAndSet(moved.get()));
    return moved.get();
  }

  private String get(String path, String more) {
    return "GET /dp/sb_abcdefghij0123456789"
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
        + relay.allToken()
        + "\r\n"
        + more
        + "\r\n";
  }

  private static String upgrade() {
    return "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: "
        + KEY
        + "\r\n";
  }

  static String switching(String key) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-1")
              .digest(ascii(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
      return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: "
          + Base64.getEncoder().encodeToString(hash)
          + "\r\n\r\n";
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static OutputStream out(RawClient client) throws IOException {
    return client.socket().getOutputStream();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private interface Io {
    void run() throws IOException;
  }

  private static void quietly(Io io) {
    try {
      io.run();
    } catch (IOException gone) {
      // The test has ended.
    }
  }
}
