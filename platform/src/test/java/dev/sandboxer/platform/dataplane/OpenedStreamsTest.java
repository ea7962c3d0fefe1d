package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.ByteStreamOpener;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.DataplaneAddress.Streams;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.testing.faulty.SocketOpener;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketAddress;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What an opener of streams was promised, and what becomes of one that fails. */
class OpenedStreamsTest {

  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

  /** Counts the streams of another opener, and writes down what is done to them. */
  private static final class Counting implements ByteStreamOpener {

    private final ByteStreamOpener real;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final List<String> done = new CopyOnWriteArrayList<>();

    Counting(SocketAddress server, int maxStreams) {
      real = new SocketOpener(server, maxStreams);
    }

    @Override
    public int maxStreams() {
      return real.maxStreams();
    }

    @Override
    public ByteStream open(Call call) throws ExtensionException {
      assertThat(call.remaining()).isPositive();
      assertThat(Thread.currentThread().isVirtual()).isTrue();
      most.accumulateAndGet(open.incrementAndGet(), Math::max);
      ByteStream stream = real.open(call);
      return new ByteStream() {
        @Override
        public int read(ByteBuffer target) throws IOException {
          return stream.read(target);
        }

        @Override
        public void write(ByteBuffer source) throws IOException {
          done.add("write");
          stream.write(source);
        }

        @Override
        public boolean closeOutput() throws IOException {
          done.add("closeOutput");
          return stream.closeOutput();
        }

        @Override
        public void close() {
          done.add("close");
          stream.close();
          open.decrementAndGet();
        }
      };
    }
  }

  @Test
  void no_more_streams_are_open_than_allowed_and_all_requests_get_their_turn() throws Exception {
    try (RelayHarness relay = new RelayHarness();
        HostileBoxd boxd = HostileBoxd.serving(OK)) {
      Counting opener = new Counting(server(boxd), 2);
      relay.put(1, 0, new Streams(opener));
      List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        all.add(relay.http.sendAsync(relay.request("/v1/health").build(), BodyHandlers.ofString()));
      }
      for (CompletableFuture<HttpResponse<String>> each : all) {
        assertThat(each.join().body()).isEqualTo("hi");
      }
      assertThat(opener.most.get()).isEqualTo(2);
    }
  }

  @Test
  void who_finds_all_streams_in_use_is_told_so_in_time() throws Exception {
    try (RelayHarness relay = new RelayHarness(Optional.empty(), Duration.ofMillis(200));
        HostileBoxd boxd =
            new HostileBoxd((in, out) -> in.transferTo(OutputStream.nullOutputStream()))) {
      Counting opener = new Counting(server(boxd), 1);
      relay.put(1, 0, new Streams(opener));
      CompletableFuture<HttpResponse<String>> first =
          relay.http.sendAsync(relay.request("/v1/health").build(), BodyHandlers.ofString());
      await().until(() -> boxd.connections() == 1);

      HttpResponse<String> second = health(relay);
      assertThat(second.statusCode()).isEqualTo(502);
      assertThat(second.body()).contains("allows at once are in use");

      assertThat(relay.streams.close(RelayHarness.ID, 1)).isEqualTo(1);
      assertThat(first.join().statusCode()).isEqualTo(502);
      await().until(() -> opener.open.get() == 0);
    }
  }

  @Test
  void an_opener_that_fails_keeps_no_slot() throws Exception {
    try (RelayHarness relay = new RelayHarness(Optional.empty(), Duration.ofMillis(200));
        HostileBoxd boxd = HostileBoxd.answering(OK)) {
      ByteStreamOpener real = new SocketOpener(server(boxd), 1);
      AtomicInteger tries = new AtomicInteger();
      ByteStreamOpener failing =
          new ByteStreamOpener() {
            @Override
            public int maxStreams() {
              return 1;
            }

            @Override
            public ByteStream open(Call call) throws ExtensionException {
              return switch (tries.getAndIncrement()) {
                case 0 -> throw new ExtensionException(ErrorCode.UNAVAILABLE, "secret");
                case 1 -> throw new IllegalStateException("secret");
                default -> real.open(call);
              };
            }
          };
      relay.put(1, 0, new Streams(failing));
      for (int i = 0; i < 2; i++) {
        HttpResponse<String> reply = health(relay);
        assertThat(reply.statusCode()).isEqualTo(502);
        assertThat(reply.body()).contains("could not open a stream").doesNotContain("secret");
      }
      assertThat(health(relay).body()).isEqualTo("hi");
    }
  }

  /** What comes meanwhile is kept back, and no reason to end the client's connection. */
  @Test
  void a_body_waits_for_a_stream_that_opens_slowly() throws Exception {
    byte[] content = new byte[5_000_000];
    new Random(5).nextBytes(content);
    List<byte[]> arrived = new CopyOnWriteArrayList<>();
    try (RelayHarness relay = new RelayHarness();
        HostileBoxd boxd =
            new HostileBoxd(
                (in, out) -> {
                  arrived.add(in.readNBytes(content.length));
                  out.write(OK.getBytes(StandardCharsets.US_ASCII));
                  in.transferTo(OutputStream.nullOutputStream());
                })) {
      relay.put(1, 0, new Streams(new Slow(new SocketOpener(server(boxd), 1))));
      HttpResponse<String> reply =
          relay.http.send(
              relay
                  .request("/v1/files/upload?path=x")
                  .POST(BodyPublishers.ofByteArray(content))
                  .build(),
              BodyHandlers.ofString());
      assertThat(reply.body()).isEqualTo("hi");
      assertThat(arrived).containsExactly(content);
    }
  }

  /** An opener that takes its time. */
  private record Slow(ByteStreamOpener real) implements ByteStreamOpener {

    @Override
    public int maxStreams() {
      return real.maxStreams();
    }

    @Override
    public ByteStream open(Call call) throws ExtensionException {
      try {
        Thread.sleep(Duration.ofMillis(300)); // the slowness under test
      } catch (InterruptedException e) {
        throw new ExtensionException(ErrorCode.UNAVAILABLE, "interrupted");
      }
      return real.open(call);
    }
  }

  /** The other side gets all that was said, and sees an end rather than a reset. */
  @Test
  void the_end_of_a_web_socket_ends_the_sending_half_before_the_stream() throws Exception {
    String key = "dGhlIHNhbXBsZSBub25jZQ==";
    List<String> heard = new CopyOnWriteArrayList<>();
    try (RelayHarness relay = new RelayHarness();
        HostileBoxd boxd =
            new HostileBoxd(
                (in, out) -> {
                  out.write(BackPressureTest.switching(key).getBytes(StandardCharsets.US_ASCII));
                  heard.add(Ws.read(in).text());
                  heard.add("end " + in.read());
                })) {
      Counting opener = new Counting(server(boxd), 1);
      relay.put(1, 0, new Streams(opener));
      try (RawClient client = new RawClient(relay.port())) {
        client.send(
            "GET /dp/sb_abcdefghij0123456789/v1/exec/ws HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer "
                + relay.allToken()
                + "\r\n"
                + WebSocketTest.ASK
                + "\r\n");
        assertThat(client.head()).startsWith("HTTP/1.1 101 ");
        client.send(Ws.fromClient(Ws.TEXT, "last"));
      }
      await().until(() -> opener.open.get() == 0);
      assertThat(heard).containsExactly("last", "end -1");
      assertThat(opener.done).endsWith("write", "closeOutput", "close");
    }
  }

  private static SocketAddress server(HostileBoxd boxd) {
    return java.net.UnixDomainSocketAddress.of(
        ((dev.sandboxer.spi.DataplaneAddress.UnixSocket) boxd.address()).path());
  }

  private static HttpResponse<String> health(RelayHarness relay) throws Exception {
    return relay.http.send(
        relay.request("/v1/health").timeout(Duration.ofSeconds(30)).build(),
        BodyHandlers.ofString());
  }
}
