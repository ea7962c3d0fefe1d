package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of those who say nothing any more. */
@ParameterizedClass
@EnumSource
class WatchTest {

  @Parameter Via via;

  private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";
  private static final Duration LONG = Duration.ofHours(1);

  private HostileBoxd webSocket() throws IOException {
    return new HostileBoxd(
        via,
        (in, out) -> {
          out.write(BackPressureTest.switching(KEY).getBytes(StandardCharsets.US_ASCII));
          while (true) {
            Ws.Frame frame = Ws.read(in);
            out.write(Ws.fromServer(Ws.TEXT, frame.opcode() + " " + frame.text()));
          }
        });
  }

  @Test
  void a_request_whose_body_stands_still_is_answered_with_408() throws Exception {
    try (RelayHarness relay = new RelayHarness(new RelayTimeouts(LONG, Duration.ZERO, LONG, LONG));
        HostileBoxd boxd =
            new HostileBoxd(via, (in, out) -> in.transferTo(OutputStream.nullOutputStream()));
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(
          "POST /dp/"
              + RelayHarness.ID
              + "/v1/files/upload?path=x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
              + relay.allToken()
              + "\r\nContent-Length: 100\r\n\r\nhalf");
      await().until(() -> boxd.connections() == 1);
      await()
          .until(
              () -> {
                relay.streams.watch();
                return relay.streams.count() == 0;
              });
      String head = client.head();
      assertThat(head).startsWith("HTTP/1.1 408 ").containsIgnoringCase("connection: close");
      int length = Integer.parseInt(head.replaceAll("(?is).*content-length: ([0-9]+).*", "$1"));
      JsonObject problem = new JsonObject(new String(client.read(length), StandardCharsets.UTF_8));
      assertThat(problem.getJsonObject("error").getString("code")).isEqualTo("REQUEST_TIMEOUT");
      await().until(() -> boxd.ended() == 1);
    }
  }

  @Test
  void a_request_without_body_may_wait_for_its_reply() throws Exception {
    try (RelayHarness relay = new RelayHarness(new RelayTimeouts(LONG, Duration.ZERO, LONG, LONG));
        HostileBoxd boxd =
            new HostileBoxd(via, (in, out) -> in.transferTo(OutputStream.nullOutputStream()));
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(
          "GET /dp/"
              + RelayHarness.ID
              + "/v1/health HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
              + relay.allToken()
              + "\r\n\r\n");
      await().until(() -> boxd.connections() == 1);
      relay.streams.watch();
      relay.streams.watch();
      assertThat(relay.streams.count()).isEqualTo(1);
    }
  }

  @Test
  void a_silent_web_socket_is_pinged_and_its_pong_reaches_nobody() throws Exception {
    try (RelayHarness relay = new RelayHarness(new RelayTimeouts(LONG, LONG, Duration.ZERO, LONG));
        HostileBoxd boxd = webSocket();
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(ask(relay)).head();
      relay.streams.watch();
      Ws.Frame ping = Ws.read(client.in());
      assertThat(ping.opcode()).isEqualTo(Ws.PING);
      client.send(Ws.fromClient(Ws.PONG, ping.text()));
      client.send(Ws.fromClient(Ws.PONG, "own"));
      assertThat(Ws.read(client.in()).text()).isEqualTo(Ws.PONG + " own");
    }
  }

  @Test
  void a_web_socket_that_does_not_answer_is_cut() throws Exception {
    try (RelayHarness relay =
            new RelayHarness(new RelayTimeouts(LONG, LONG, Duration.ZERO, Duration.ZERO));
        HostileBoxd boxd = webSocket();
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(ask(relay)).head();
      await()
          .until(
              () -> {
                relay.streams.watch();
                return relay.streams.count() == 0;
              });
      assertThat(Ws.read(client.in()).opcode()).isEqualTo(Ws.PING);
      assertThat(Ws.read(client.in()).status()).isEqualTo(1008);
      await().until(() -> boxd.ended() == 1);
    }
  }

  private static String ask(RelayHarness relay) {
    return "GET /dp/"
        + RelayHarness.ID
        + "/v1/exec/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Authorization: Bearer "
        + relay.allToken()
        + "\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
        + KEY
        + "\r\n\r\n";
  }
}
