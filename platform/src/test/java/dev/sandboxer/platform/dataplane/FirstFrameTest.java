package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.ClientGrant;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A token that comes as a WebSocket's first frame, and tokens that come later. */
@ParameterizedClass
@EnumSource
class FirstFrameTest {

  @Parameter Via via;

  private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

  private static final Duration LONG = Duration.ofHours(1);

  private final RelayHarness relay = new RelayHarness(new RelayTimeouts(LONG, LONG, LONG, LONG));
  private final List<String> heard = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    relay.close();
  }

  /** Switches, then repeats each text with a mark, and writes down what it heard. */
  private HostileBoxd echo(String more) throws IOException {
    return new HostileBoxd(
        via,
        (in, out) -> {
          out.write(
              ascii(
                  BackPressureTest.switching(KEY)
                      .replaceFirst("\r\n\r\n$", "\r\n" + more + "\r\n")));
          while (true) {
            Ws.Frame frame = Ws.read(in);
            heard.add(frame.opcode() + ":" + frame.text());
            if (frame.opcode() == Ws.TEXT) {
              out.write(Ws.fromServer(Ws.TEXT, "echo " + frame.text()));
            }
          }
        });
  }

  @Test
  void the_relay_answers_the_handshake_and_connects_only_after_a_good_token() throws Exception {
    try (HostileBoxd boxd = echo("");
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      String head = client.send(ask("/v1/exec/ws", "")).head();
      assertThat(head).startsWith("HTTP/1.1 101 ").contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
      assertThat(head).doesNotContainIgnoringCase("sec-websocket-protocol");
      assertThat(boxd.connections()).isZero();

      client.send(auth(relay.token(Capability.EXEC, Capability.FS_READ)));
      client.send(text("{\"type\":\"start\"}"));
      JsonObject ok = new JsonObject(Ws.read(client.in()).text());
      assertThat(ok.getString("type")).isEqualTo("auth_ok");
      assertThat(ok.getJsonArray("capabilities")).containsExactly("exec", "fs_read");
      assertThat(Ws.read(client.in()).text()).isEqualTo("echo {\"type\":\"start\"}");
      assertThat(heard).containsExactly("1:{\"type\":\"start\"}");
      assertThat(boxd.heads().getFirst()).contains("Authorization: Bearer ");
      assertThat(relay.streams.count()).isEqualTo(1);
    }
    await().until(() -> relay.streams.count() == 0);
  }

  @Test
  void an_address_may_let_only_so_many_wait_for_their_token() throws Exception {
    List<RawClient> waiting = new ArrayList<>();
    try {
      for (int i = 0; i < 64; i++) {
        RawClient client = new RawClient(relay.port());
        waiting.add(client);
        assertThat(client.send(ask("/v1/exec/ws", "")).head()).startsWith("HTTP/1.1 101 ");
      }
      try (RawClient last = new RawClient(relay.port())) {
        assertThat(last.send(ask("/v1/exec/ws", "")).head()).startsWith("HTTP/1.1 429 ");
      }
    } finally {
      for (RawClient client : waiting) {
        client.close();
      }
    }
  }

  @Test
  void the_first_frame_may_come_in_any_pieces() throws Exception {
    try (HostileBoxd boxd = echo("")) {
      relay.put(1, 0, boxd.address());
      byte[] json = ascii(authText(relay.allToken()));
      ByteArrayOutputStream parts = new ByteArrayOutputStream();
      parts.writeBytes(Ws.frame(0x01, Arrays.copyOfRange(json, 0, 10), true));
      parts.writeBytes(Ws.fromClient(Ws.PING, "hello"));
      parts.writeBytes(Ws.frame(0x00, new byte[0], true));
      parts.writeBytes(Ws.frame(0x80, Arrays.copyOfRange(json, 10, json.length), true));
      parts.writeBytes(text("next"));
      try (RawClient client = new RawClient(relay.port())) {
        client.socket().setTcpNoDelay(true);
        client.send(ask("/v1/exec/ws", "")).head();
        for (byte b : parts.toByteArray()) {
          client.send(new byte[] {b});
        }
        Ws.Frame pong = Ws.read(client.in());
        assertThat(pong.opcode()).isEqualTo(Ws.PONG);
        assertThat(pong.text()).isEqualTo("hello");
        assertThat(Ws.read(client.in()).text()).contains("auth_ok");
        assertThat(Ws.read(client.in()).text()).isEqualTo("echo next");
      }
    }
  }

  @Test
  void the_binary_subprotocol_is_agreed_on_without_boxd_and_held_to() throws Exception {
    String binary = "Sec-WebSocket-Protocol: sandboxer.v1.binary\r\n";
    try (HostileBoxd boxd = echo(binary);
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      assertThat(client.send(ask("/v1/exec/ws", binary)).head())
          .containsIgnoringCase("sec-websocket-protocol: sandboxer.v1.binary");
      client.send(auth(relay.allToken())).send(text("a"));
      assertThat(Ws.read(client.in()).text()).contains("auth_ok");
      assertThat(Ws.read(client.in()).text()).isEqualTo("echo a");
      assertThat(boxd.heads().getFirst()).contains(binary);
    }
    try (HostileBoxd boxd = echo("");
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(ask("/v1/exec/ws", binary)).head();
      client.send(auth(relay.allToken()));
      assertThat(Ws.read(client.in()).text()).contains("auth_ok");
      assertThat(Ws.read(client.in()).text()).contains("SANDBOX_UNREACHABLE");
      assertThat(Ws.read(client.in()).status()).isEqualTo(1011);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"auth\",\"token\":\"x\"}",
        "{\"type\":\"auth\"}",
        "{\"type\":\"auth\",\"token\":5}",
        "{\"type\":\"auth\",\"token\":\"GOOD\",\"more\":1}",
        "{\"type\":\"auth\",\"token\":\"x\",\"token\":\"GOOD\"}",
        "{\"type\":\"start\",\"command\":[\"auth\"]}",
        "{\"type\":\"ping\",\"id\":1}",
        "auth",
        "[\"auth\"]",
        "",
        "null",
        "\"auth\""
      })
  void another_first_frame_is_refused_the_same_way(String first) throws Exception {
    try (HostileBoxd boxd = echo("");
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(ask("/v1/exec/ws", "")).head();
      client.send(text(first.replace("GOOD", relay.allToken())));
      assertRefused(client, "UNAUTHENTICATED", 1008);
      assertThat(boxd.connections()).isZero();
    }
  }

  @Test
  void tokens_of_others_without_the_capability_or_revoked_are_refused() throws Exception {
    try (HostileBoxd boxd = echo("")) {
      relay.put(1, 5, boxd.address());
      refusedWith(relay.token(1, 4, Capability.EXEC), "UNAUTHENTICATED");
      refusedWith(relay.token(2, 9, Capability.EXEC), "UNAUTHENTICATED");
      refusedWith(relay.token(1, 9, Capability.SHELL), "CAPABILITY_DENIED");
      relay.targets.known.clear();
      refusedWith(relay.token(1, 9, Capability.EXEC), "UNAUTHENTICATED");
      assertThat(boxd.connections()).isZero();
    }
  }

  private void refusedWith(String token, String code) throws IOException {
    try (RawClient client = new RawClient(relay.port())) {
      client.send(ask("/v1/exec/ws", "")).head();
      client.send(auth(token));
      assertRefused(client, code, 1008);
    }
  }

  @Test
  void what_breaks_the_protocol_ends_it() throws Exception {
    byte[] json = ascii(authText(relay.allToken()));
    List<byte[]> broken =
        List.of(
            Ws.frame(0x81, json, false),
            Ws.frame(0xc1, json, true),
            Ws.frame(0x83, json, true),
            Ws.frame(0x80, json, true),
            Ws.frame(0x09, new byte[1], true),
            Ws.frame(0x89, new byte[126], true),
            Ws.frame(0x82, json, true),
            Ws.frame(0x81, new byte[17_000], true));
    try (HostileBoxd boxd = echo("")) {
      relay.put(1, 0, boxd.address());
      for (byte[] frame : broken) {
        try (RawClient client = new RawClient(relay.port())) {
          client.send(ask("/v1/exec/ws", "")).head();
          client.send(frame);
          Ws.Frame last = Ws.read(client.in());
          last = last.opcode() == Ws.TEXT ? Ws.read(client.in()) : last;
          assertThat(last.opcode()).isEqualTo(Ws.CLOSE);
          assertThat(client.rest()).isEmpty();
        }
      }
      assertThat(boxd.connections()).isZero();
    }
  }

  @Test
  void without_a_frame_it_ends_after_a_while() throws Exception {
    try (RelayHarness usual = new RelayHarness();
        RawClient client = new RawClient(usual.port())) {
      client.send(ask("/v1/exec/ws", "")).head();
      assertRefused(client, "UNAUTHENTICATED", 1008);
    }
  }

  @Test
  void a_refusal_of_boxd_becomes_an_error_frame() throws Exception {
    String body =
        "{\"error\":{\"code\":\"SANDBOX_STARTING\",\"message\":\"wait\",\"retryable\":true}}";
    try (HostileBoxd boxd =
            HostileBoxd.answering(
                via,
                "HTTP/1.1 423 Locked\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(ask("/v1/exec/ws", "")).head();
      client.send(auth(relay.allToken()));
      assertThat(Ws.read(client.in()).text()).contains("auth_ok");
      assertRefused(client, "SANDBOX_STARTING", 1011);
    }
  }

  @Test
  void a_further_auth_renews_and_reaches_boxd_never() throws Exception {
    try (HostileBoxd boxd = echo("");
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(ask("/v1/exec/ws", bearer(relay.token(1, 3, Capability.EXEC)))).head();
      client.send(auth(relay.token(1, 7, Capability.EXEC)));
      assertThat(Ws.read(client.in()).text()).contains("auth_ok");
      client.send(auth("bad"));
      assertThat(Ws.read(client.in()).text()).contains("UNAUTHENTICATED");
      client.send(auth(relay.token(1, 9, Capability.SHELL)));
      assertThat(Ws.read(client.in()).text()).contains("CAPABILITY_DENIED");
      client.send(text("{\"data\":\"auth\"}"));
      assertThat(Ws.read(client.in()).text()).isEqualTo("echo {\"data\":\"auth\"}");
      assertThat(heard).containsExactly("1:{\"data\":\"auth\"}");

      assertThat(relay.streams.cut(OpenStreams.Scope.SANDBOX, RelayHarness.ID.raw(), 7)).isZero();
      assertThat(relay.streams.cut(OpenStreams.Scope.SANDBOX, RelayHarness.ID.raw(), 8))
          .isEqualTo(1);
      assertThat(Ws.read(client.in()).status()).isEqualTo(1008);
      assertThat(client.rest()).isEmpty();
    }
  }

  @Test
  void a_sessions_end_cuts_its_streams_and_no_others() throws Exception {
    try (HostileBoxd boxd = echo("");
        RawClient mine = new RawClient(relay.port());
        RawClient other = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      mine.send(ask("/v1/exec/ws", bearer(ofSession("ssn_mine")))).head();
      other.send(ask("/v1/exec/ws", bearer(ofSession("ssn_other")))).head();
      await().until(() -> relay.streams.count() == 2);
      assertThat(relay.streams.cut(OpenStreams.Scope.SESSION, "ssn_mine", Long.MAX_VALUE))
          .isEqualTo(1);
      assertThat(Ws.read(mine.in()).status()).isEqualTo(1008);
      assertThat(mine.rest()).isEmpty();
      other.send(text("still"));
      assertThat(Ws.read(other.in()).text()).isEqualTo("echo still");
    }
  }

  private String ofSession(String session) {
    return relay
        .minter
        .client(
            new ClientGrant(
                RelayHarness.ID, 1, 3, "u", null, "key_x", session, Set.of(Capability.EXEC)))
        .value();
  }

  @Test
  void our_words_stand_between_the_messages_of_boxd() throws Exception {
    try (HostileBoxd boxd =
            new HostileBoxd(
                via,
                (in, out) -> {
                  out.write(ascii(BackPressureTest.switching(KEY)));
                  out.write(Ws.frame(0x01, ascii("one "), false));
                  heard.add("begun");
                  Ws.read(in);
                  out.write(Ws.frame(0x80, ascii("two"), false));
                  in.transferTo(OutputStream.nullOutputStream());
                });
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(ask("/v1/exec/ws", bearer(relay.allToken()))).head();
      await().until(() -> heard.contains("begun"));
      assertThat(Ws.read(client.in()).text()).isEqualTo("one ");
      client.send(auth(relay.allToken())).send(text("go on"));
      assertThat(Ws.read(client.in()).text()).isEqualTo("two");
      assertThat(Ws.read(client.in()).text()).contains("auth_ok");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0x91, 0xc1, 0x83, 0x80, 0x09})
  void a_boxd_that_breaks_the_frames_is_cut(int first) throws Exception {
    try (HostileBoxd boxd =
            new HostileBoxd(
                via,
                (in, out) -> {
                  out.write(ascii(BackPressureTest.switching(KEY)));
                  out.write(Ws.frame(first, ascii("x"), false));
                  in.transferTo(OutputStream.nullOutputStream());
                });
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(ask("/v1/exec/ws", bearer(relay.allToken()))).head();
      assertThat(client.rest()).doesNotContain("x\n");
      await().until(() -> boxd.ended() == 1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "a length of 2^62, 827f4000000000000000",
    "17 MiB, 827f0000000001100000",
    "17 MiB in two parts, 027f0000000000f00000",
    "an overlong character, 8102c080",
    "half a character, 8101c3",
    "a surrogate over two frames, 0102eda08001a0",
    "data after its close, 880203e881016f"
  })
  void a_boxd_that_says_what_no_honest_one_does_is_cut(String name, String frames)
      throws Exception {
    byte[] evil = HexFormat.of().parseHex(frames);
    try (HostileBoxd boxd =
            new HostileBoxd(
                via,
                (in, out) -> {
                  out.write(ascii(BackPressureTest.switching(KEY)));
                  out.write(Ws.fromServer(Ws.TEXT, "h\u00e9"));
                  out.write(evil);
                  if (name.endsWith("parts")) {
                    out.write(new byte[15 << 20]);
                    out.write(HexFormat.of().parseHex("807f0000000000200000"));
                  }
                  in.transferTo(OutputStream.nullOutputStream());
                });
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(ask("/v1/exec/ws", bearer(relay.allToken()))).head();
      assertThat(client.rest()).as(name).doesNotContain("\u0001o");
      await().until(() -> boxd.ended() == 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void text_may_be_cut_anywhere(int bytes) throws Exception {
    byte[] euro = "\u20ac\ud83d\ude00".getBytes(StandardCharsets.UTF_8);
    try (HostileBoxd boxd =
            new HostileBoxd(
                via,
                (in, out) -> {
                  out.write(ascii(BackPressureTest.switching(KEY)));
                  out.write(Ws.frame(0x01, Arrays.copyOf(euro, bytes), false));
                  out.write(Ws.frame(0x80, Arrays.copyOfRange(euro, bytes, euro.length), false));
                  in.transferTo(OutputStream.nullOutputStream());
                });
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(ask("/v1/exec/ws", bearer(relay.allToken()))).head();
      assertThat(Ws.read(client.in()).payload().length()).isEqualTo(bytes);
      assertThat(Ws.read(client.in()).payload().length()).isEqualTo(euro.length - bytes);
    }
  }

  @Test
  void a_cut_holds_also_for_a_client_that_does_not_read() throws Exception {
    try (HostileBoxd boxd =
            new HostileBoxd(
                via,
                (in, out) -> {
                  out.write(ascii(BackPressureTest.switching(KEY)));
                  byte[] frame = Ws.frame(0x82, new byte[60_000], false);
                  while (true) {
                    out.write(frame);
                  }
                });
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(ask("/v1/exec/ws", bearer(relay.allToken()))).head();
      await().until(() -> relay.streams.cut(OpenStreams.Scope.ALL, "", 1) == 1);
      await().until(() -> boxd.ended() == 1);
      await().until(() -> relay.streams.count() == 0);
    }
  }

  private static void assertRefused(RawClient client, String code, int status) throws IOException {
    JsonObject error = new JsonObject(Ws.read(client.in()).text());
    assertThat(error.getString("type")).isEqualTo("error");
    assertThat(error.getString("code")).isEqualTo(code);
    Ws.Frame close = Ws.read(client.in());
    assertThat(close.opcode()).isEqualTo(Ws.CLOSE);
    assertThat(close.status()).isEqualTo(status);
    assertThat(client.rest()).isEmpty();
  }

  private static byte[] auth(String token) {
    return text(authText(token));
  }

  private static String authText(String token) {
    return new JsonObject().put("type", "auth").put("token", token).encode();
  }

  private static byte[] text(String text) {
    return Ws.fromClient(Ws.TEXT, text);
  }

  private static String bearer(String token) {
    return "Authorization: Bearer " + token + "\r\n";
  }

  private static String ask(String path, String headers) {
    return "GET /dp/"
        + RelayHarness.ID
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
        + KEY
        + "\r\n"
        + headers
        + "\r\n";
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
