package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.token.AcceptedTokens;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.KeyRing;
import dev.sandboxer.platform.token.TokenMinter;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a node opens for others, and for whom. */
class PeerTest {

  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
  private static final SandboxId OTHER = new SandboxId("bbbbbbbbbb0123456789");

  private final RelayHarness relay = new RelayHarness();

  @AfterEach
  void close() {
    relay.close();
  }

  /** The first line of the answer to a request for a stream. */
  private String ask(String path, @Nullable String token) throws IOException {
    String authorization = token == null ? "" : "Authorization: Bearer " + token + "\r\n";
    String head =
        "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: sandboxer-boxd\r\n%s\r\n"
            .formatted(path, authorization);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), relay.port())) {
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      StringBuilder line = new StringBuilder();
      InputStream in = socket.getInputStream();
      for (int c = in.read(); c >= 0 && c != '\r'; c = in.read()) {
        line.append((char) c);
      }
      return line.toString();
    }
  }

  private static String path(int generation) {
    return "/internal/v1/boxd/" + RelayHarness.ID + "/" + generation;
  }

  private String token(String node, SandboxId sandbox, int generation) {
    return relay.minter.peer(node, sandbox, generation).value();
  }

  @Test
  void a_stream_is_opened_for_a_node_with_a_token_of_this_node_sandbox_and_generation()
      throws IOException {
    try (HostileBoxd boxd = HostileBoxd.answering(Via.UNIX, OK)) {
      relay.put(2, 0, boxd.address());
      assertThat(ask(path(2), token(RelayHarness.NODE, RelayHarness.ID, 2)))
          .startsWith("HTTP/1.1 101 ");
    }
  }

  @Test
  void nobody_else_gets_one() throws IOException {
    try (HostileBoxd boxd = HostileBoxd.answering(Via.UNIX, OK)) {
      relay.put(2, 0, boxd.address());
      TokenMinter foreign =
          new TokenMinter(KeyRing::generate, relay.issuer, Clock.systemUTC(), new AcceptedTokens());
      TokenMinter late =
          new TokenMinter(
              () -> relay.keys,
              relay.issuer,
              InstantSource.offset(Clock.systemUTC(), Duration.ofMinutes(-2)),
              new AcceptedTokens());
      List<String> bad =
          Stream.of(
                  relay.allToken(),
                  relay.minter.relay(RelayHarness.ID, 2, Capability.ADMIN).value(),
                  token("two", RelayHarness.ID, 2),
                  token(RelayHarness.NODE, OTHER, 2),
                  token(RelayHarness.NODE, RelayHarness.ID, 1),
                  foreign.peer(RelayHarness.NODE, RelayHarness.ID, 2).value(),
                  late.peer(RelayHarness.NODE, RelayHarness.ID, 2).value(),
                  "",
                  "a.b.c")
              .toList();
      for (String token : bad) {
        assertThat(ask(path(2), token)).as(token).startsWith("HTTP/1.1 401 ");
      }
      assertThat(ask(path(2), null)).startsWith("HTTP/1.1 401 ");
      assertThat(boxd.heads()).isEmpty();
    }
  }

  @Test
  void who_tries_bad_tokens_without_end_has_to_wait() throws IOException {
    String last = "";
    for (int i = 0; i < 60 && !last.startsWith("HTTP/1.1 429 "); i++) {
      last = ask(path(1), "a.b.c");
    }
    assertThat(last).startsWith("HTTP/1.1 429 ");
  }

  @Test
  void a_sandbox_that_is_not_here_is_said_to_be_so() throws IOException {
    assertThat(ask(path(1), token(RelayHarness.NODE, RelayHarness.ID, 1)))
        .startsWith("HTTP/1.1 404 ");
    assertThat(ask("/internal/v1/boxd/sb_x/1", "t")).startsWith("HTTP/1.1 404 ");
    assertThat(ask("/internal/v1/boxd/" + RelayHarness.ID + "/0", "t")).startsWith("HTTP/1.1 404 ");
  }

  /** Two nodes that each think the other has it would call each other for ever. */
  @Test
  void nothing_is_passed_on_twice() throws IOException {
    put(new Transport.Peer("two", URI.create("http://127.0.0.1:9")));
    assertThat(ask(path(1), token(RelayHarness.NODE, RelayHarness.ID, 1)))
        .startsWith("HTTP/1.1 404 ");
  }

  @Test
  void a_node_that_does_not_answer_is_named() throws Exception {
    put(new Transport.Peer("two", URI.create("http://127.0.0.1:9")));
    HttpResponse<String> reply =
        relay.http.send(relay.request("/v1/health").build(), BodyHandlers.ofString());
    assertThat(reply.statusCode()).isEqualTo(502);
    assertThat(reply.body()).contains("its node 'two' at http://127.0.0.1:9 does not answer");
  }

  @Test
  void what_is_unreachable_says_why() throws Exception {
    put(new Transport.Unreachable("its node 'two' does not run"));
    HttpResponse<String> reply =
        relay.http.send(relay.request("/v1/health").build(), BodyHandlers.ofString());
    assertThat(reply.statusCode()).isEqualTo(502);
    assertThat(reply.body()).contains("cannot be reached: its node 'two' does not run");
  }

  private void put(Transport transport) {
    relay.targets.known.put(
        RelayHarness.ID, new Target(RelayHarness.ID, RelayHarness.TENANT, 1, 0, transport));
  }

  /** The stream belongs to the sandbox, and ends with it. */
  @Test
  void a_stream_is_cut_with_its_incarnation() throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(Via.UNIX, OK)) {
      relay.put(1, 0, boxd.address());
      String head =
          "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: sandboxer-boxd\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(path(1), token(RelayHarness.NODE, RelayHarness.ID, 1));
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), relay.port())) {
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        assertThat(socket.getInputStream().read()).isEqualTo('H');
        await().until(() -> relay.streams.count() == 1);
        assertThat(relay.streams.close(RelayHarness.ID, 1)).isEqualTo(1);
        int last = socket.getInputStream().readAllBytes().length;
        assertThat(last).isPositive();
        assertThat(relay.streams.count()).isZero();
      }
    }
  }
}
