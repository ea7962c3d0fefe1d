package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The WebSocket handshake through the relay, and what becomes of the two connections. */
@ParameterizedClass
@EnumSource
class WebSocketTest {

  @Parameter Via via;

  private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";
  static final String ASK =
      "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Key: "
          + KEY
          + "\r\n";

  private final RelayHarness relay = new RelayHarness();

  @AfterEach
  void close() {
    relay.close();
  }

  @Test
  void without_authorization_nothing_is_opened_to_boxd() throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(via, BackPressureTest.switching(KEY))) {
      relay.put(1, 0, boxd.address());

      assertThat(handshake(ASK + "Authorization: Basic eDp5\r\n")).startsWith("HTTP/1.1 401 ");
      assertThat(handshake(ASK + "Origin: http://evil.example\r\n")).startsWith("HTTP/1.1 403 ");
      assertThat(handshake(ASK + auth() + "Origin: http://evil.example\r\n"))
          .startsWith("HTTP/1.1 403 ");
      assertThat(boxd.connections()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Connection: Upgrade|Upgrade: h2c",
        "Connection: Upgrade|Upgrade: websocket|Sec-WebSocket-Version: 13",
        "Connection: Upgrade|Upgrade: websocket|Sec-WebSocket-Version: 8|Sec-WebSocket-Key: " + KEY,
        "Upgrade: websocket|Sec-WebSocket-Version: 13|Sec-WebSocket-Key: " + KEY,
        "Connection: Upgrade|Upgrade: websocket|Sec-WebSocket-Version: 13|Sec-WebSocket-Key: short"
      })
  void what_is_no_handshake_is_named_so(String lines) throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(via, BackPressureTest.switching(KEY))) {
      relay.put(1, 0, boxd.address());

      String headers = lines.isEmpty() ? "" : lines.replace("|", "\r\n") + "\r\n";
      assertThat(handshake(auth() + headers)).startsWith("HTTP/1.1 400 ");
      assertThat(boxd.connections()).isZero();
    }
  }

  @Test
  void a_handshake_carries_a_relay_token_and_no_extension() throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(via, BackPressureTest.switching(KEY));
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(
          request(
              auth()
                  + ASK
                  + "Origin: http://localhost\r\nCookie: a=b\r\n"
                  + "Sec-WebSocket-Extensions: permessage-deflate\r\n"
                  + "Sec-WebSocket-Protocol: bearer.secret, sandboxer.v1.binary\r\n"));
      String head = client.head();

      assertThat(head).startsWith("HTTP/1.1 101 ").contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
      String asked = boxd.heads().getFirst();
      assertThat(asked)
          .startsWith("GET /v1/exec/ws HTTP/1.1\r\n")
          .contains("Sec-WebSocket-Protocol: sandboxer.v1.binary\r\n")
          .doesNotContain("permessage-deflate")
          .doesNotContain("secret")
          .doesNotContain("Origin")
          .doesNotContain("Cookie");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Sec-WebSocket-Extensions: permessage-deflate\r\n",
        "Sec-WebSocket-Protocol: other\r\n",
        "Sec-WebSocket-Accept: AAAA\r\n"
      })
  void an_answer_that_does_not_fit_is_a_bad_gateway(String header) throws Exception {
    String fitting = BackPressureTest.switching(KEY);
    String answer =
        header.contains("Accept")
            ? fitting.replaceFirst("Sec-WebSocket-Accept: [^\r]*\r\n", header)
            : fitting.replaceFirst("\r\n\r\n$", "\r\n" + header + "\r\n");
    try (HostileBoxd boxd = HostileBoxd.answering(via, answer)) {
      relay.put(1, 0, boxd.address());

      assertThat(handshake(auth() + ASK)).startsWith("HTTP/1.1 502 ");
      await().until(() -> boxd.ended() == 1);
    }
  }

  @Test
  void a_refused_upgrade_passes_with_its_body_and_ends_the_connection() throws Exception {
    try (HostileBoxd boxd =
        HostileBoxd.answering(via, "HTTP/1.1 423 Locked\r\nContent-Length: 8\r\n\r\nstarting")) {
      relay.put(1, 0, boxd.address());
      try (RawClient client = new RawClient(relay.port())) {
        client.send(request(auth() + ASK));
        assertThat(client.head()).startsWith("HTTP/1.1 423 ");
        assertThat(new String(client.read(8), StandardCharsets.US_ASCII)).isEqualTo("starting");
      }
      await().until(() -> boxd.ended() == 1);
      await().until(() -> relay.streams.count() == 0);
    }
  }

  @Test
  void what_boxd_says_right_after_the_switch_is_not_lost_and_the_echo_comes_back()
      throws Exception {
    try (HostileBoxd boxd =
            new HostileBoxd(
                via,
                (in, out) -> {
                  out.write(ascii(BackPressureTest.switching(KEY)));
                  out.write(Ws.fromServer(Ws.TEXT, "first"));
                  out.write(Ws.fromServer(Ws.TEXT, Ws.read(in).text()));
                  in.transferTo(OutputStream.nullOutputStream());
                });
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(request(auth() + ASK));
      client.head();
      assertThat(Ws.read(client.in()).text()).isEqualTo("first");
      client.send(Ws.fromClient(Ws.TEXT, "echo"));
      assertThat(Ws.read(client.in()).text()).isEqualTo("echo");
      assertThat(relay.streams.count()).isEqualTo(1);
    }
    await().until(() -> relay.streams.count() == 0);
  }

  @Test
  void a_client_that_goes_away_closes_boxds_side() throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(via, BackPressureTest.switching(KEY))) {
      relay.put(1, 0, boxd.address());
      try (RawClient client = new RawClient(relay.port())) {
        client.send(request(auth() + ASK));
        client.head();
        assertThat(boxd.ended()).isZero();
      }
      await().until(() -> boxd.ended() == 1);
    }
  }

  @Test
  void a_client_that_goes_away_during_the_handshake_closes_boxds_side() throws Exception {
    try (HostileBoxd boxd =
        new HostileBoxd(via, (in, out) -> in.transferTo(OutputStream.nullOutputStream()))) {
      relay.put(1, 0, boxd.address());
      try (RawClient client = new RawClient(relay.port())) {
        client.send(request(auth() + ASK));
        await().until(() -> boxd.connections() == 1);
      }
      await().until(() -> boxd.ended() == 1);
      await().until(() -> relay.streams.count() == 0);
    }
  }

  @Test
  void closing_the_streams_of_a_sandbox_cuts_its_web_sockets_on_both_sides() throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(via, BackPressureTest.switching(KEY));
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(request(auth() + ASK));
      client.head();
      await().until(() -> relay.streams.closeTenant(RelayHarness.TENANT) == 1);

      assertThat(Ws.read(client.in()).status()).isEqualTo(1008);
      assertThat(client.rest()).isEmpty();
      await().until(() -> boxd.ended() == 1);
      assertThat(relay.streams.count()).isZero();
    }
  }

  private String handshake(String headers) throws IOException {
    try (RawClient client = new RawClient(relay.port())) {
      return client.send(request(headers)).head();
    }
  }

  private String auth() {
    return "Authorization: Bearer " + relay.allToken() + "\r\n";
  }

  private static String request(String headers) {
    return "GET /dp/sb_abcdefghij0123456789/v1/exec/ws HTTP/1.1\r\nHost: localhost\r\n"
        + headers
        + "\r\n";
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
