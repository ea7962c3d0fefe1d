package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Clients that send halves or garbage, with the default heap: the platform goes on for others. */
class HostileLoadTest {

  private static final int PATIENCE_MILLIS = 60_000;
  private static final int DECLARED = 1_000_000;
  private static final byte[] HALF = new byte[DECLARED - 10_000];
  private static final String POST = "POST /v1/sandboxes";

  private static Platform platform;

  private final List<Socket> open = new ArrayList<>();

  @BeforeAll
  static void start() {
    platform = Platform.start(Map.of());
  }

  @AfterAll
  static void stop() {
    platform.close();
  }

  @AfterEach
  void disconnect() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
  }

  /** Some 350 of these ended the platform once, for lack of memory. */
  @Test
  void halfBodiesWithoutAKeyAreRefusedAndTakeNoMemory() throws IOException {
    for (int i = 0; i < 400; i++) {
      send(connect(), head(POST, "") + bodyOf(DECLARED), HALF);
    }
    for (Socket half : open) {
      assertThat(rest(half))
          .startsWith("HTTP/1.1 401 ")
          .containsIgnoringCase("connection: close")
          .contains("UNAUTHENTICATED");
    }
    stillServes();
  }

  @Test
  void largeBodiesOfOneAddressHaveABudget() throws IOException {
    for (int i = 0; i < 60; i++) {
      send(connect(), head(POST, key()) + bodyOf(DECLARED), HALF);
    }
    stillServes();
    List<String> replies = new ArrayList<>();
    for (Socket half : open) {
      replies.add(rest(half));
    }
    assertThat(replies)
        .anySatisfy(
            reply ->
                assertThat(reply)
                    .startsWith("HTTP/1.1 503 ")
                    .containsIgnoringCase("retry-after: 5")
                    .contains("OVERLOADED", "from this address"))
        .as("those that found room wait for the rest, in vain")
        .anySatisfy(
            reply -> assertThat(reply).startsWith("HTTP/1.1 408 ").contains("REQUEST_TIMEOUT"))
        .allSatisfy(reply -> assertThat(reply).containsAnyOf("OVERLOADED", "REQUEST_TIMEOUT"));
  }

  @Test
  void aConnectionWhoseBodyWasReadIsKept() throws IOException {
    Socket kept = connect();
    for (int i = 0; i < 3; i++) {
      send(kept, head(POST, key()) + bodyOf(2), "{}".getBytes(StandardCharsets.US_ASCII));
      String refusal = head(kept);
      assertThat(refusal)
          .startsWith("HTTP/1.1 400 ")
          .doesNotContainIgnoringCase("connection: close");
      kept.getInputStream().readNBytes(length(refusal));
    }
  }

  private static int length(String head) {
    return Integer.parseInt(head.replaceFirst("(?is).*content-length: (\\d+).*", "$1"));
  }

  /** As Python's http.client does; it hung until its own time limit once. */
  @Test
  void aClientThatSendsAllBeforeItReadsGetsItsReply() throws IOException {
    Socket large = connect();
    send(large, head(POST, key()) + bodyOf(8 << 20), new byte[8 << 20]);
    assertThat(rest(large)).startsWith("HTTP/1.1 413 ").contains("TOO_LARGE");
    Socket foreign = connect();
    send(
        foreign,
        head("POST /dp/sb_aaaaaaaaaaaaaaaaaaaa/v1/files", "") + bodyOf(8 << 20),
        new byte[8 << 20]);
    assertThat(rest(foreign)).startsWith("HTTP/1.1 401 ");
  }

  @Test
  void halfHeadsEndTheOldestOfTheirAddress() throws IOException {
    Deque<Socket> half = new ArrayDeque<>();
    for (int i = 0; i < 400; i++) {
      Socket socket = connect();
      send(socket, "GET /v1/health HTTP/1.1\r\nHost: ", new byte[0]);
      half.add(socket);
      if (i % 100 == 99) {
        stillServes();
      }
    }
    assertThat(rest(half.getFirst())).isEmpty();
  }

  @Test
  void aFreshTokenIsTakenWhateverElseCameFromItsAddress() {
    Door door = new Door(platform.api());
    String thread = Door.thread();
    JsonNode session = door.ensure(thread);
    Api.Dataplane inside = door.inside(session);
    String health = inside.url() + "/health";
    String forged = session.path("token").asText().replaceFirst("\\.", ".e30");
    int refused = 401;
    for (int i = 0; i < 2_000 && refused == 401; i++) {
      refused = inside.api().withKey(forged).get(health).status();
    }
    assertThat(refused).as("the control: forged ones are limited").isEqualTo(429);
    for (int i = 0; i < 20; i++) {
      String fresh = door.ensure(thread).path("token").asText();
      assertThat(inside.api().withKey(fresh).get(health).status()).isEqualTo(200);
    }
  }

  @Test
  void oneKeyMayFollowEventsOnlySoOften() throws IOException {
    String follow = head("GET /v1/events/stream", key()) + "\r\n";
    for (int i = 0; i < 1_024; i++) {
      Socket socket = connect();
      send(socket, follow, new byte[0]);
      assertThat(head(socket)).startsWith("HTTP/1.1 200 ");
    }
    Socket last = connect();
    send(last, follow, new byte[0]);
    assertThat(head(last)).startsWith("HTTP/1.1 429 ");
    stillServes();
  }

  private static void stillServes() {
    assertThat(platform.api().get("/v1/sandboxes").status()).isEqualTo(200);
    assertThat(platform.process().isAlive()).isTrue();
  }

  private Socket connect() throws IOException {
    URI url = platform.url();
    Socket socket = new Socket(url.getHost(), url.getPort());
    socket.setSoTimeout(PATIENCE_MILLIS);
    open.add(socket);
    return socket;
  }

  private static String key() {
    return "Authorization: Bearer " + platform.key() + "\r\n";
  }

  private static String head(String line, String more) {
    return line + " HTTP/1.1\r\nHost: " + platform.url().getAuthority() + "\r\n" + more;
  }

  private static String bodyOf(int length) {
    return "Content-Type: application/json\r\nContent-Length: " + length + "\r\n\r\n";
  }

  private static void send(Socket socket, String head, byte[] body) throws IOException {
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().write(body);
  }

  private static String head(Socket socket) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = socket.getInputStream().read();
      if (next < 0) {
        return head.toString();
      }
      head.append((char) next);
    }
    return head.toString();
  }

  private static String rest(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
