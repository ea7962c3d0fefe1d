package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a boxd in the hands of hostile code may answer, byte by byte. */
@ParameterizedClass
@EnumSource
class HostileBoxdTest {

  @Parameter Via via;

  private static final String OK = "HTTP/1.1 200 OK\r\n";
  private static final Map<String, String> BREACHES =
      Map.ofEntries(
          Map.entry("two framings", OK + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"),
          Map.entry("two lengths", OK + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi"),
          Map.entry("list of lengths", OK + "Content-Length: 2, 2\r\n\r\nhi"),
          Map.entry("negative length", OK + "Content-Length: -2\r\n\r\nhi"),
          Map.entry("signed length", OK + "Content-Length: +2\r\n\r\nhi"),
          Map.entry("huge length", OK + "Content-Length: 99999999999999999999\r\n\r\nhi"),
          Map.entry("no framing", OK + "Content-Type: text/plain\r\n\r\nhi"),
          Map.entry("odd encoding", OK + "Transfer-Encoding: gzip, chunked\r\n\r\n"),
          Map.entry("chunked twice", OK + "Transfer-Encoding: chunked, chunked\r\n\r\n"),
          Map.entry("folded line", OK + "X-A: 1\r\n Content-Length: 0\r\n\r\n"),
          Map.entry("folded first line", OK + " X-A: 1\r\nContent-Length: 0\r\n\r\n"),
          Map.entry("blank before colon", OK + "Content-Length : 0\r\n\r\n"),
          Map.entry("bare LF", "HTTP/1.1 200 OK\nContent-Length: 0\n\r\n\r\n"),
          Map.entry("bare CR", OK + "X-A: 1\r2\r\nContent-Length: 0\r\n\r\n"),
          Map.entry("NUL in a value", OK + "X-A: \u0000\r\nContent-Length: 0\r\n\r\n"),
          Map.entry("no colon", OK + "nonsense\r\nContent-Length: 0\r\n\r\n"),
          Map.entry("HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"),
          Map.entry("HTTP/2", "HTTP/2 200\r\nContent-Length: 0\r\n\r\n"),
          Map.entry("no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
          Map.entry("status 99", "HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n"),
          Map.entry("status 600", "HTTP/1.1 600 X\r\nContent-Length: 0\r\n\r\n"),
          Map.entry("status of letters", "HTTP/1.1 2xx X\r\nContent-Length: 0\r\n\r\n"),
          Map.entry("redirect", "HTTP/1.1 302 F\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"),
          Map.entry("refused token", "HTTP/1.1 401 U\r\nContent-Length: 0\r\n\r\n"),
          Map.entry("unasked 101", "HTTP/1.1 101 S\r\nUpgrade: websocket\r\n\r\n"),
          Map.entry("1xx flood", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000)),
          Map.entry("huge head", OK + "X-A: " + "a".repeat(20_000) + "\r\n\r\n"),
          Map.entry("endless head", OK + "X-A: 1\r\n".repeat(3_000)),
          Map.entry("many headers", OK + "X: 1\r\n".repeat(100) + "Content-Length: 0\r\n\r\n"));

  private final RelayHarness relay = new RelayHarness();

  @AfterEach
  void close() {
    relay.close();
  }

  @Test
  void breaches_of_the_protocol_become_a_bad_gateway_and_end_the_connection() throws Exception {
    for (Map.Entry<String, String> breach : BREACHES.entrySet()) {
      try (HostileBoxd boxd = HostileBoxd.answering(via, breach.getValue())) {
        relay.put(1, 0, boxd.address());
        HttpResponse<String> reply = get();

        assertThat(reply.statusCode()).as(breach.getKey()).isEqualTo(502);
        JsonObject error = new JsonObject(reply.body()).getJsonObject("error");
        assertThat(error.getString("code")).isEqualTo("SANDBOX_UNREACHABLE");
        assertThat(error.getString("request_id"))
            .isEqualTo(reply.headers().firstValue("X-Request-Id").orElseThrow());
        await(breach.getKey()).until(() -> boxd.ended() == 1);
      }
    }
  }

  @Test
  void only_allowed_headers_pass() throws Exception {
    String headers =
        """
        Set-Cookie: a=b
        Location: http://x
        Access-Control-Allow-Origin: *
        Content-Encoding: gzip
        Cache-Control: public
        Content-Security-Policy: x
        X-Request-Id: forged
        Server: x
        Clear-Site-Data: *
        Link: </x>; rel=preload
        Strict-Transport-Security: max-age=1
        Service-Worker-Allowed: /
        WWW-Authenticate: Basic
        Connection: X-Evil
        X-Evil: 1
        Trailer: X
        ETag: "e"
        Content-Type: text/html
        Content-Disposition: attachment
        """
            .replace("\n", "\r\n");
    try (HostileBoxd boxd =
        HostileBoxd.answering(via, OK + headers + "Content-Length: 2\r\n\r\nhi")) {
      relay.put(1, 0, boxd.address());
      HttpResponse<String> reply = get();

      assertThat(reply.body()).isEqualTo("hi");
      assertThat(reply.headers().map().keySet())
          .allSatisfy(
              name ->
                  assertThat(name.toLowerCase(java.util.Locale.ROOT))
                      .isIn(
                          "vary",
                          "content-type",
                          "content-length",
                          "content-disposition",
                          "etag",
                          "x-request-id",
                          "x-content-type-options",
                          "content-security-policy",
                          "cross-origin-resource-policy",
                          "cache-control"));
      assertThat(reply.headers().allValues("Cache-Control")).containsExactly("no-store");
      assertThat(reply.headers().allValues("Content-Security-Policy"))
          .containsExactly("sandbox; default-src 'none'");
      assertThat(reply.headers().allValues("X-Request-Id")).doesNotContain("forged");
    }
  }

  @Test
  void interim_replies_within_measure_are_dropped() throws Exception {
    String interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
    try (HostileBoxd boxd =
        HostileBoxd.answering(via, interim + OK + "Content-Length: 2\r\n\r\nhi")) {
      relay.put(1, 0, boxd.address());

      assertThat(get().body()).isEqualTo("hi");
    }
  }

  @Test
  void an_extra_reply_reaches_nobody() throws Exception {
    String extra = OK + "Content-Length: 4\r\n\r\nevil";
    try (HostileBoxd boxd =
        HostileBoxd.answering(via, OK + "Content-Length: 2\r\n\r\nhi" + extra)) {
      relay.put(1, 0, boxd.address());

      assertThat(get().body()).isEqualTo("hi");
      await().until(() -> boxd.ended() == 1);
      assertThat(get().body()).isEqualTo("hi");
      assertThat(boxd.connections()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"close", "Close", "x-one, close", "close ,x-one"})
  void a_connection_that_boxd_will_close_is_not_used_again(String options) throws Exception {
    String last = OK + "Connection: " + options + "\r\nContent-Length: 2\r\n\r\nhi";
    try (HostileBoxd boxd = HostileBoxd.answering(via, last)) {
      relay.put(1, 0, boxd.address());

      assertThat(get().body()).isEqualTo("hi");
      await().until(() -> boxd.ended() == 1);
      assertThat(get().body()).isEqualTo("hi");
      assertThat(boxd.connections()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 10\r\n\r\nhalf",
        "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nnonsense\r\n",
        "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf and more than said\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nFFFFFFFFFFFFFFFFF\r\n"
      })
  void a_reply_cut_short_is_never_taken_for_whole(String rest) throws Exception {
    try (HostileBoxd boxd =
        new HostileBoxd(
            via, (in, out) -> out.write((OK + rest).getBytes(StandardCharsets.ISO_8859_1)))) {
      relay.put(1, 0, boxd.address());
      try (RawClient client = new RawClient(relay.port())) {
        client.send(request("GET", "/v1/health", ""));
        assertThat(client.head()).startsWith("HTTP/1.1 200 ");
        assertThat(client.rest()).doesNotEndWith("0\r\n\r\n").contains("half");
      }
      await().until(() -> relay.streams.count() == 0);
    }
  }

  @Test
  void a_boxd_that_hangs_up_at_once_is_unreachable() throws Exception {
    try (HostileBoxd boxd = new HostileBoxd(via, (in, out) -> {})) {
      relay.put(1, 0, boxd.address());

      assertThat(get().statusCode()).isEqualTo(502);
    }
  }

  @Test
  void an_endless_body_fills_no_memory_and_ends_with_its_reader() throws Exception {
    try (HostileBoxd boxd = new HostileBoxd(via, HostileBoxdTest::endless)) {
      relay.put(1, 0, boxd.address());
      try (RawClient client = new RawClient(relay.port())) {
        client.send(request("GET", "/v1/health", ""));
        assertThat(client.head()).startsWith("HTTP/1.1 200 ");
        assertThat(client.read(10_000_000)).hasSize(10_000_000);
        assertThat(boxd.ended()).isZero();
      }
      await().until(() -> boxd.ended() == 1);
    }
  }

  @Test
  void an_endless_refusal_of_a_web_socket_is_cut() throws Exception {
    String handshake =
        """
        Connection: Upgrade
        Upgrade: websocket
        Sec-WebSocket-Version: 13
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
        """
            .replace("\n", "\r\n");
    for (String path : List.of("/v1/exec/ws", "/v1/ports/80/tcp")) {
      try (HostileBoxd boxd = new HostileBoxd(via, HostileBoxdTest::endless);
          RawClient client = new RawClient(relay.port())) {
        relay.put(1, 0, boxd.address());
        client.send(request("GET", path, handshake));
        assertThat(client.rest()).as(path).startsWith("HTTP/1.1 200 ").hasSizeLessThan(1 << 20);
        await().until(() -> boxd.ended() == 1);
      }
    }
  }

  @Test
  void an_early_reply_to_an_upload_reaches_its_client() throws Exception {
    String full = "HTTP/1.1 507 Insufficient Storage\r\nContent-Length: 4\r\n\r\nfull";
    try (HostileBoxd boxd = new HostileBoxd(via, (in, out) -> replyAndWait(in, out, full));
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(
          request("POST", "/v1/files/upload?path=x", "Content-Length: 100000000\r\n") + "start");

      assertThat(client.head())
          .startsWith("HTTP/1.1 507 ")
          .containsIgnoringCase("connection: close");
      assertThat(new String(client.read(4), StandardCharsets.US_ASCII)).isEqualTo("full");
      await().until(() -> boxd.ended() == 1);
      await().until(() -> relay.streams.count() == 0);
    }
  }

  private static void replyAndWait(java.io.InputStream in, OutputStream out, String reply)
      throws IOException {
    out.write(reply.getBytes(StandardCharsets.US_ASCII));
    in.transferTo(OutputStream.nullOutputStream());
  }

  @Test
  void parts_of_a_stream_arrive_as_they_are_said() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    try (HostileBoxd boxd = new HostileBoxd(via, (in, out) -> sayTwice(out, first));
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(request("GET", "/v1/health", ""));
      client.head();
      assertThat(new String(client.read(6), StandardCharsets.US_ASCII)).isEqualTo("3\r\none");
      first.countDown();
      assertThat(client.read(7 + 2 + 5)).hasSize(14);
    }
  }

  private static void sayTwice(OutputStream out, CountDownLatch first) throws IOException {
    String head = OK + "Transfer-Encoding: chunked\r\n\r\n";
    out.write((head + "3\r\none\r\n").getBytes(StandardCharsets.US_ASCII));
    try {
      first.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    out.write("3\r\ntwo\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void no_credential_and_nothing_of_the_caller_reaches_boxd() throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(via, OK + "Content-Length: 0\r\n\r\n")) {
      relay.put(1, 0, boxd.address());
      String token = relay.allToken();
      try (RawClient client = new RawClient(relay.port())) {
        client.send(
            "POST /dp/sb_abcdefghij0123456789/v1/exec?a=%2e%2F HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer "
                + token
                + "\r\nCookie: s=secret\r\nX-API-KEY: sbxk_secret\r\nDPoP: secret\r\n"
                + "Forwarded: for=1.2.3.4\r\nX-Forwarded-For: 1.2.3.4\r\nX-Real-IP: 1.2.3.4\r\n"
                + "Proxy-Authorization: secret\r\nAccept-Encoding: gzip\r\nTE: trailers\r\n"
                + "Connection: keep-alive, X-RelaySpan\r\nX-RelaySpan: 1\r\nUpgrade: h2c\r\n"
                + "HTTP2-Settings: AAAA\r\nAccept: application/json\r\n"
                + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
        client.head();
      }
      String head = boxd.heads().getFirst();
      assertThat(head)
          .matches("(?s)POST /v1/exec\\?a=%2e%2F HTTP/1.1\r\nHost: (boxd|127.0.0.1:\\d+)\r\n.*");
      assertThat(head).doesNotContain(token).doesNotContain("secret").doesNotContain("1.2.3.4");
      assertThat(head.lines().map(line -> line.split(":", 2)[0]).skip(1))
          .containsExactlyInAnyOrder(
              "Host",
              "X-Request-Id",
              "Authorization",
              "Accept",
              "Content-Type",
              "Content-Length",
              "");
    }
  }

  /** It may stop reading, and end its sending half, in the middle of an upload. */
  @Test
  void a_refusal_with_a_half_close_reaches_who_still_uploads() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    String full = "HTTP/1.1 507 Insufficient Storage\r\nContent-Length: 4\r\n\r\nfull";
    try (HostileBoxd boxd = new HostileBoxd(via, (in, out) -> refuseAndWait(out, full, over));
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(
          request("POST", "/v1/files/upload?path=x", "Content-Length: 100000000\r\n") + "start");

      assertThat(client.head()).startsWith("HTTP/1.1 507 ");
      assertThat(new String(client.read(4), StandardCharsets.US_ASCII)).isEqualTo("full");
      await().until(() -> relay.streams.count() == 0);
      over.countDown();
    }
  }

  private static void refuseAndWait(OutputStream out, String reply, CountDownLatch over)
      throws IOException {
    out.write(reply.getBytes(StandardCharsets.US_ASCII));
    out.close();
    wait(over);
  }

  /** It reads nothing and is sent more than it has room for: only a cut ends that. */
  @Test
  void withdrawn_access_cuts_a_boxd_that_reads_nothing() throws Exception {
    CountDownLatch gone = new CountDownLatch(1);
    try (HostileBoxd boxd = new HostileBoxd(via, (in, out) -> writeUntilCut(out, gone))) {
      relay.put(1, 0, boxd.address());
      try (RawClient client = new RawClient(relay.port())) {
        client.socket().setSoTimeout(1_000);
        client.send(request("POST", "/v1/files/upload?path=x", "Content-Length: 100000000\r\n"));
        Thread filler = Thread.ofPlatform().start(() -> fill(client));
        assertThat(filler.join(java.time.Duration.ofSeconds(2))).isFalse();
        assertThat(relay.streams.close(RelayHarness.ID, 1)).isEqualTo(1);
      }
      await().until(() -> relay.streams.count() == 0);
      gone.countDown();
      await().until(() -> boxd.ended() == 1);
    }
  }

  private static void fill(RawClient client) {
    try {
      while (true) {
        client.send(new byte[64 * 1024]);
      }
    } catch (IOException closed) {
      // As the test does.
    }
  }

  private static void writeUntilCut(OutputStream out, CountDownLatch gone) throws IOException {
    wait(gone);
    while (true) {
      out.write('x');
      wait(new CountDownLatch(1), 20);
    }
  }

  private static void wait(CountDownLatch latch) throws IOException {
    wait(latch, 60_000);
  }

  private static void wait(CountDownLatch latch, long millis) throws IOException {
    try {
      var _ = latch.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static void endless(java.io.InputStream in, OutputStream out) throws IOException {
    out.write((OK + "Transfer-Encoding: chunked\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
    byte[] chunk = ("1000\r\n" + "x".repeat(4096) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    while (true) {
      out.write(chunk);
    }
  }

  private HttpResponse<String> get() throws Exception {
    return relay.http.send(relay.request("/v1/health").build(), BodyHandlers.ofString());
  }

  private String request(String method, String path, String more) {
    return method
        + " /dp/sb_abcdefghij0123456789"
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
        + relay.allToken()
        + "\r\n"
        + more
        + "\r\n";
  }
}
