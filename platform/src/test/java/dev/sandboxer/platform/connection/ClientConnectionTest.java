package dev.sandboxer.platform.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client may hold, and how a connection ends whose body nobody reads. */
class ClientConnectionTest {

  private static final String HOST = " HTTP/1.1\r\nHost: localhost\r\n";
  private static final Duration BETWEEN_BYTES = Duration.ofMillis(20);
  private static final String GET = "GET /read" + HOST + "\r\n";

  private final BoundedServer server = new BoundedServer();

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  @Test
  void aReplyBeforeTheBodyEndsSaysCloseAndTheConnectionEnds() throws IOException {
    Socket half = server.client("POST /refused" + HOST + "Content-Length: 1000000\r\n\r\nhalf");
    assertThat(BoundedServer.rest(half))
        .startsWith("HTTP/1.1 403 ")
        .containsIgnoringCase("connection: close")
        .endsWith("no");

    Socket chunked =
        server.client("POST /refused" + HOST + "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
    assertThat(BoundedServer.rest(chunked)).startsWith("HTTP/1.1 403 ").endsWith("no");
  }

  @Test
  void aClientThatSendsAllBeforeItReadsGetsTheReply() throws IOException {
    int length = 16 << 20;
    Socket client =
        server.client("POST /refused" + HOST + "Content-Length: " + length + "\r\n\r\n");
    client.getOutputStream().write(new byte[length]);
    assertThat(BoundedServer.rest(client)).startsWith("HTTP/1.1 403 ").endsWith("no");
  }

  @Test
  void theRestOfABodyIsNotReadWithoutEnd() throws IOException {
    Socket endless =
        server.client("POST /refused" + HOST + "Content-Length: 1000000000000\r\n\r\n");
    byte[] part = new byte[1 << 20];
    assertThatThrownBy(
            () -> {
              for (int sent = 0; sent < 1 << 20; sent++) {
                endless.getOutputStream().write(part);
              }
            })
        .isInstanceOf(SocketException.class);
  }

  @Test
  void aConnectionWhoseBodiesAreReadIsKept() throws IOException {
    Socket client = server.client("");
    for (int i = 0; i < 3; i++) {
      BoundedServer.send(client, "POST /read" + HOST + "Content-Length: 300000\r\n\r\n");
      client.getOutputStream().write(new byte[300_000]);
      assertThat(BoundedServer.until(client, "300000 bytes")).startsWith("HTTP/1.1 200 ");
      BoundedServer.send(client, GET + GET);
      assertThat(BoundedServer.until(client, "0 bytes")).startsWith("HTTP/1.1 200 ");
      assertThat(BoundedServer.until(client, "0 bytes")).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void aHeadThatDripsEndsAfterTenSecondsHoweverMuchComes() throws Exception {
    Socket kept = server.client(GET);
    assertThat(BoundedServer.until(kept, "0 bytes")).startsWith("HTTP/1.1 200 ");
    Socket first = server.client("GET /read" + HOST + "X-Long: ");
    BoundedServer.send(kept, "GET /read" + HOST + "X-Long: ");
    long begun = System.nanoTime();
    assertThatThrownBy(
            () -> {
              while (true) {
                BoundedServer.send(first, "x");
                BoundedServer.send(kept, "x");
                LockSupport.parkNanos(BETWEEN_BYTES.toNanos());
              }
            })
        .isInstanceOf(SocketException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - begun))
        .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(40));
  }

  @Test
  void oneAddressCannotHoldMoreSilentConnectionsThanItMay() throws IOException {
    Socket answered = server.client(GET);
    assertThat(BoundedServer.until(answered, "0 bytes")).startsWith("HTTP/1.1 200 ");
    Deque<Socket> half = new ArrayDeque<>();
    for (int i = 0; i < 300; i++) {
      half.add(server.client("GET /read" + HOST));
    }
    assertThat(BoundedServer.rest(half.removeFirst())).as("the oldest was ended").isEmpty();
    BoundedServer.send(half.getLast(), "\r\n");
    assertThat(BoundedServer.until(half.getLast(), "0 bytes")).startsWith("HTTP/1.1 200 ");
    BoundedServer.send(answered, GET);
    assertThat(BoundedServer.until(answered, "0 bytes")).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void requestsAreNotTakenAheadWithoutEnd() throws IOException {
    Socket client = server.client("POST /held" + HOST + "Content-Length: 4\r\n\r\nbody");
    String requests = GET.repeat(1000);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 10_000; i++) {
                BoundedServer.send(client, requests);
              }
            })
        .isInstanceOf(SocketException.class);
    server.answerHeld();
  }

  @Test
  void aPartOfTheDescriptorsIsThePlatforms() {
    assertThat(ConnectionLimits.openFor(20_000)).isEqualTo(8_750);
    assertThat(ConnectionLimits.openFor(1_024)).isEqualTo(448);
    assertThat(ConnectionLimits.openFor(64)).isEqualTo(64);
  }
}
