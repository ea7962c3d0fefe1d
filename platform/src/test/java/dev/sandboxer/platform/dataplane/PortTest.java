package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenClaims;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ports: for programs below /dp/, for browsers on an origin of their own. */
@ParameterizedClass
@EnumSource
class PortTest {

  @Parameter Via via;

  private static final String OWN = "p8080-" + RelayHarness.ID.raw() + ".localhost";
  private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";
  private static final String REPLY =
      "HTTP/1.1 302 Found\r\nLocation: http://localhost:8080/next\r\nSet-Cookie: a=b; Domain=localhost;"
          + " Path=/x\r\nSet-Cookie: sandboxer-port=stolen\r\nClear-Site-Data: \"cookies\"\r\n"
          + "Alt-Svc: h3=\":1\"\r\nStrict-Transport-Security: max-age=1\r\nX-Frame-Options: ALLOWALL\r\n"
          + "X-Request-Id: forged\r\nX-Custom: yes\r\nConnection: X-RelaySpan\r\nX-RelaySpan: 1\r\n"
          + "Content-Type: text/html\r\nContent-Length: 2\r\n\r\nhi";

  private final RelayHarness relay = new RelayHarness();

  @AfterEach
  void close() {
    relay.close();
  }

  private String pass(int port, int generation, long epoch) {
    TokenClaims claims =
        new TokenClaims(
            RelayHarness.ID, generation, epoch, "user", null, Set.of(Capability.PORT), 0, 1);
    return relay.minter.portPass(claims, port).value();
  }

  private String ask(String host, String path, String headers) throws IOException {
    try (RawClient client = new RawClient(relay.port())) {
      return client
          .send(
              "GET "
                  + path
                  + " HTTP/1.1\r\nHost: "
                  + host
                  + "\r\nConnection: close\r\n"
                  + headers
                  + "\r\n")
          .rest();
    }
  }

  private String cookie(String pass) {
    return "Cookie: own=1; sandboxer-port=" + pass + "; b=2\r\n";
  }

  @Test
  void programs_get_any_status_but_no_further_header() throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(via, REPLY)) {
      relay.put(1, 0, boxd.address());
      String reply =
          ask(
              "localhost",
              "/dp/" + RelayHarness.ID + "/v1/ports/8080/a%2Fb?c=%20",
              "Authorization: Bearer " + relay.token(Capability.PORT) + "\r\nCookie: x=y\r\n");
      assertThat(reply).startsWith("HTTP/1.1 302 ").endsWith("hi");
      assertThat(reply.toLowerCase(Locale.ROOT))
          .contains("content-security-policy: sandbox")
          .doesNotContain("set-cookie")
          .doesNotContain("location:");
      assertThat(boxd.heads().getFirst())
          .startsWith("GET /v1/ports/8080/a%2Fb?c=%20 HTTP/1.1\r\n")
          .doesNotContain("Cookie");
    }
  }

  @Test
  void below_dp_a_cookie_counts_for_nothing_nor_does_a_first_frame() throws Exception {
    String path = "/dp/" + RelayHarness.ID + "/v1/ports/8080/tcp";
    relay.put(1, 0, HostileBoxd.answering(via, REPLY).address());
    assertThat(ask("localhost", path, cookie(pass(8080, 1, 0)))).startsWith("HTTP/1.1 401 ");
    assertThat(ask("localhost", path, upgrade())).startsWith("HTTP/1.1 401 ");
    String ticket = "Sec-WebSocket-Protocol: sandboxer.ticket." + "a".repeat(43) + "\r\n";
    assertThat(ask("localhost", path, upgrade() + ticket)).startsWith("HTTP/1.1 401 ");
  }

  @Test
  void a_browser_with_the_cookie_reaches_the_application_and_keeps_its_credential()
      throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(via, REPLY)) {
      relay.put(1, 0, boxd.address());
      String origin = "http://" + OWN + ":" + relay.port();
      String reply =
          ask(
              OWN + ":" + relay.port(),
              "/page?x=1",
              cookie(pass(8080, 1, 0))
                  + "Authorization: Bearer sbxk_0\r\nX-API-Key: secret\r\nX-Forwarded-For: 1.2.3.4\r\n"
                  + "Referer: "
                  + origin
                  + "/before\r\nOrigin: "
                  + origin
                  + "\r\nSec-Fetch-Site: same-origin\r\nX-Csrf: t\r\nAccept-Language: de\r\n");

      assertThat(reply).startsWith("HTTP/1.1 302 ").endsWith("hi");
      assertThat(reply)
          .containsIgnoringCase("location: /next\r\n")
          .containsIgnoringCase("set-cookie: a=b; Path=/x\r\n")
          .containsIgnoringCase("x-custom: yes")
          .containsIgnoringCase("x-frame-options: SAMEORIGIN")
          .containsIgnoringCase("cross-origin-resource-policy: same-origin")
          .doesNotContain("stolen")
          .doesNotContain("forged")
          .doesNotContain("ALLOWALL");
      assertThat(reply.toLowerCase(Locale.ROOT))
          .doesNotContain("clear-site-data")
          .doesNotContain("alt-svc")
          .doesNotContain("strict-transport")
          .doesNotContain("x-hop")
          .doesNotContain("content-security-policy");
      String head = boxd.heads().getFirst();
      assertThat(head)
          .startsWith("GET /v1/ports/8080/page?x=1 HTTP/1.1\r\n")
          .contains("Cookie: own=1; b=2\r\n")
          .contains("Origin: http://localhost:8080\r\n")
          .contains("Referer: http://localhost:8080/before\r\n")
          .contains("x-csrf: t\r\n")
          .doesNotContain("sbxk_")
          .doesNotContain("secret")
          .doesNotContain("1.2.3.4")
          .doesNotContain("sandboxer-port");
    }
  }

  @Test
  void a_pass_counts_for_its_port_generation_and_epoch_alone() throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(via, 2, REPLY)) {
      relay.put(2, 5, boxd.address());
      for (String bad :
          new String[] {
            pass(8081, 2, 5),
            pass(8080, 1, 5),
            pass(8080, 2, 4),
            relay.token(2, 5, Capability.PORT),
            "x",
            ""
          }) {
        assertThat(ask(OWN, "/", cookie(bad))).startsWith("HTTP/1.1 401 ");
      }
      assertThat(ask(OWN, "/", "")).startsWith("HTTP/1.1 401 ");
      assertThat(ask(OWN, "/", "Authorization: Bearer " + relay.allToken() + "\r\n"))
          .startsWith("HTTP/1.1 401 ");
      assertThat(boxd.connections()).isZero();
      // Another port's page may have put a cookie of our name before the good one.
      assertThat(ask(OWN, "/", "Cookie: sandboxer-port=tossed\r\n" + cookie(pass(8080, 2, 5))))
          .startsWith("HTTP/1.1 302 ");
      String other = "p8080-bbcdefghij0123456789.localhost";
      assertThat(ask(other, "/", cookie(pass(8080, 2, 5)))).startsWith("HTTP/1.1 401 ");
      String asToken = "Authorization: Bearer " + pass(8080, 2, 5) + "\r\n";
      assertThat(ask("localhost", "/dp/" + RelayHarness.ID + "/v1/health", asToken))
          .startsWith("HTTP/1.1 401 ");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Origin: http://evil.example | 403",
        "Origin: null | 403",
        "Origin: http://localhost | 403",
        "Sec-Fetch-Site: cross-site | 403",
        "Sec-Fetch-Site: same-site; Sec-Fetch-Mode: cors; Sec-Fetch-Dest: empty | 403",
        "Sec-Fetch-Site: same-site; Sec-Fetch-Mode: navigate; Sec-Fetch-Dest: iframe | 403",
        "Sec-Fetch-Site: cross-site; Sec-Fetch-Mode: no-cors; Sec-Fetch-Dest: script | 403",
        "Sec-Fetch-Site: cross-site; Sec-Fetch-Mode: navigate; Sec-Fetch-Dest: document | 302",
        "Sec-Fetch-Site: none; Sec-Fetch-Mode: navigate; Sec-Fetch-Dest: document | 302",
        "Sec-Fetch-Site: same-origin; Sec-Fetch-Mode: no-cors; Sec-Fetch-Dest: image | 302"
      })
  void other_origins_may_link_but_neither_call_nor_embed(String headers, int status)
      throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(via, REPLY)) {
      relay.put(1, 0, boxd.address());
      String lines = headers.strip().replace("; ", "\r\n") + "\r\n";
      assertThat(ask(OWN, "/", cookie(pass(8080, 1, 0)) + lines))
          .startsWith("HTTP/1.1 " + status + " ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "p0-abcdefghij0123456789.localhost",
        "p65536-abcdefghij0123456789.localhost",
        "p080-abcdefghij0123456789.localhost",
        "p8080-abcdefghij0123456789.localhost.evil.example",
        "x.p8080-abcdefghij0123456789.localhost",
        "p8080-ABCDEFGHIJ.localhost",
        "evil.localhost"
      })
  void other_names_below_the_domain_are_not_ours(String host) throws Exception {
    assertThat(ask(host, "/", "")).startsWith("HTTP/1.1 403 ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/../x", "/a/%2e%2E/b", "/.", "http://evil.example/", "*"})
  void odd_paths_are_not_served(String path) throws Exception {
    relay.put(1, 0, HostileBoxd.answering(via, REPLY).address());
    assertThat(ask(OWN, path, cookie(pass(8080, 1, 0)))).startsWith("HTTP/1.1 404 ");
  }

  @Test
  void the_platforms_own_paths_mean_nothing_there_and_connect_is_refused() throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(via, REPLY)) {
      relay.put(1, 0, boxd.address());
      assertThat(ask(OWN, "/v1/sandboxes", cookie(pass(8080, 1, 0)))).startsWith("HTTP/1.1 302 ");
      assertThat(boxd.heads().getFirst()).startsWith("GET /v1/ports/8080/v1/sandboxes HTTP/1.1");
      assertThat(ask(OWN, "/.sandboxer/x", "")).startsWith("HTTP/1.1 404 ");
      assertThat(ask(OWN, "/.sandboxer/open", ""))
          .startsWith("HTTP/1.1 200 ")
          .contains("sha256-")
          .containsIgnoringCase("referrer-policy: no-referrer");
    }
    try (RawClient client = new RawClient(relay.port())) {
      client.send("CONNECT evil.example:443 HTTP/1.1\r\nHost: " + OWN + "\r\n\r\n");
      assertThat(client.head()).matches("(?s)HTTP/1.1 4.*");
    }
  }

  @Test
  void a_web_socket_of_the_application_passes_with_its_own_protocol_and_frames() throws Exception {
    String protocol = "Sec-WebSocket-Protocol: vite-hmr\r\n";
    try (HostileBoxd boxd =
            new HostileBoxd(
                via,
                (in, out) -> {
                  out.write(
                      BackPressureTest.switching(KEY)
                          .replaceFirst("\r\n\r\n$", "\r\n" + protocol + "\r\n")
                          .getBytes(StandardCharsets.US_ASCII));
                  while (true) {
                    out.write(Ws.fromServer(Ws.TEXT, Ws.read(in).text()));
                  }
                });
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(
          "GET /hmr HTTP/1.1\r\nHost: "
              + OWN
              + "\r\n"
              + upgrade()
              + protocol
              + cookie(pass(8080, 1, 0))
              + "\r\n");
      assertThat(client.head())
          .startsWith("HTTP/1.1 101 ")
          .containsIgnoringCase("sec-websocket-protocol: vite-hmr");
      client.send(
          Ws.fromClient(Ws.TEXT, "{\"type\":\"auth\",\"token\":\"the application's own\"}"));
      assertThat(Ws.read(client.in()).text()).contains("the application's own");
      assertThat(relay.streams.cut(OpenStreams.Scope.TENANT, RelayHarness.TENANT, 1)).isEqualTo(1);
      assertThat(Ws.read(client.in()).status()).isEqualTo(1008);
    }
  }

  private static String upgrade() {
    return "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: "
        + KEY
        + "\r\n";
  }
}
