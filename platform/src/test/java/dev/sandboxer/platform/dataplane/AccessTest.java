package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.Forge;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets through, and what everyone else sees. */
@ParameterizedClass
@EnumSource
class AccessTest {

  @Parameter Via via;

  private static final String SANDBOX = "/dp/" + RelayHarness.ID;
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  private final RelayHarness relay = new RelayHarness();

  @SuppressWarnings("NullAway.Init") // before each test
  private HostileBoxd boxd;

  @BeforeEach
  void known() throws IOException {
    boxd = HostileBoxd.serving(via, 1, OK);
    relay.put(1, 0, boxd.address());
  }

  @AfterEach
  void close() throws IOException {
    relay.close();
    boxd.close();
  }

  @Test
  void every_bad_token_gets_the_same_reply_and_a_good_one_right_after_is_accepted()
      throws Exception {
    Forge forge = new Forge(relay.keys, relay.issuer, RelayHarness.ID, Instant.now());
    Map<String, String> bad = forge.bad();
    Set<String> replies = new HashSet<>();
    for (Map.Entry<String, String> each : bad.entrySet()) {
      if (each.getValue().length() < 10_000 && !each.getValue().contains("\n")) {
        String reply = raw(SANDBOX + "/v1/health", "Authorization: Bearer " + each.getValue());
        assertThat(reply).as(each.getKey()).startsWith("HTTP/1.1 401 ");
        replies.add(reply);
        assertThat(raw(SANDBOX + "/v1/health", "Authorization: Bearer " + forge.good()))
            .as("a good one after " + each.getKey())
            .startsWith("HTTP/1.1 200 ");
      }
    }
    assertThat(bad).hasSizeGreaterThan(60);
    assertThat(replies).hasSize(1);
    assertThat(replies.iterator().next())
        .contains("WWW-Authenticate: Bearer error=\"invalid_token\"")
        .contains("UNAUTHENTICATED")
        .contains("X-Content-Type-Options: nosniff");
  }

  @Test
  void nobody_learns_whether_a_sandbox_exists() throws Exception {
    String other = "/dp/sb_zzzzzzzzzz0123456789/v1/health";
    String here = raw(SANDBOX + "/v1/health", "X-Nothing: 1");

    assertThat(here).startsWith("HTTP/1.1 401 ");
    assertThat(raw(other, "X-Nothing: 1")).isEqualTo(here);
    assertThat(raw(other, "Authorization: Bearer " + relay.allToken())).isEqualTo(here);
    assertThat(raw("/dp/sb_short/v1/health", "X-Nothing: 1")).isEqualTo(here);
    assertThat(raw("/dp/", "X-Nothing: 1")).isEqualTo(here);
    relay.targets.known.clear();
    assertThat(raw(SANDBOX + "/v1/health", "Authorization: Bearer " + relay.allToken()))
        .isEqualTo(here);
  }

  @Test
  void nothing_but_one_bearer_header_is_a_credential() throws Exception {
    String token = relay.allToken();

    for (String header :
        new String[] {
          "Cookie: token=" + token,
          "X-API-KEY: " + token,
          "Authorization: Basic " + token,
          "Authorization: " + token,
          "Authorization: Bearer " + token + "\r\nAuthorization: Bearer " + token,
          "Authorization: Bearer sbxk_0123456789abcdef0123456789abcdef",
          "Proxy-Authorization: Bearer " + token
        }) {
      assertThat(raw(SANDBOX + "/v1/health", header)).as(header).startsWith("HTTP/1.1 401 ");
    }
    assertThat(raw(SANDBOX + "/v1/health?token=" + token + "&access_token=" + token, "X-A: 1"))
        .startsWith("HTTP/1.1 401 ");
    assertThat(boxd.connections()).isZero();
  }

  @Test
  void revoked_and_earlier_tokens_are_refused_at_once() throws Exception {
    String token = relay.token(2, 5, Capability.EXEC);
    try (HostileBoxd second = HostileBoxd.serving(via, 2, OK)) {
      relay.put(2, 5, second.address());
      assertThat(get("/v1/health", token).statusCode()).isEqualTo(200);

      relay.put(2, 6, second.address());
      assertThat(get("/v1/health", token).statusCode()).isEqualTo(401);
      relay.put(3, 0, second.address());
      assertThat(get("/v1/health", token).statusCode()).isEqualTo(401);
    }
  }

  @Test
  void a_sandbox_that_this_node_has_not_seen_is_loaded_once() throws Exception {
    relay.targets.known.clear();
    relay.targets.stored.put(
        RelayHarness.ID,
        new Target(RelayHarness.ID, RelayHarness.TENANT, 1, 0, Transport.of(boxd.address())));

    assertThat(get("/v1/health", relay.allToken()).statusCode()).isEqualTo(200);
    assertThat(relay.targets.known).containsKey(RelayHarness.ID);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/control/configure",
        "/v1/control/shutdown",
        "/v1/files/../control/configure",
        "/v1//control/configure",
        "/v1/control%2Fconfigure",
        "/v1/%63ontrol/configure",
        "/v1/exec/",
        "/v1/exec;x",
        "/v1/EXEC",
        "/v1/exec%00",
        "/v1/ports/8080",
        "/v1/ports/0/",
        "/v1/ports/65536/",
        "/v1/ports/080/",
        "/v1/ports/-1/",
        "/v1/ports/80/../../control/shutdown",
        "/v1/ports/80/%2e%2e/%2E./x",
        "/v1/ports/80/.",
        "/v1/control",
        "/v1/processes/../control/configure",
        "/v1/processes/a/b",
        "/v1",
        "/",
        "/v2/exec"
      })
  void what_is_not_listed_does_not_exist(String path) throws Exception {
    String reply = raw(SANDBOX + path, "Authorization: Bearer " + relay.allToken());

    assertThat(reply).startsWith("HTTP/1.1 404 ").contains("NOT_FOUND");
    assertThat(boxd.connections()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "POST,/v1/exec,exec",
    "GET,/v1/files/download?path=x,fs_read",
    "HEAD,/v1/files/stat?path=x,fs_read",
    "GET,/v1/files/list,fs_read",
    "GET,/v1/files/search?pattern=*,fs_read",
    "GET,/v1/files/watch?path=x,fs_read",
    "POST,/v1/files/upload?path=x,fs_write",
    "POST,/v1/files/mkdir,fs_write",
    "POST,/v1/files/move,fs_write",
    "POST,/v1/files/remove,fs_write",
    "POST,/v1/files/chmod,fs_write",
    "GET,/v1/processes,process",
    "POST,/v1/processes,process",
    "GET,/v1/processes/p1,process",
    "DELETE,/v1/processes/p1,process",
    "POST,/v1/processes/p1/signal,process",
    "POST,/v1/processes/p1/stdin,process",
    "GET,/v1/processes/p1/output?offset=3&follow=true,process",
    "GET,/v1/ports,port",
    "GET,/v1/ports/8080/,port",
    "PATCH,/v1/ports/8080/a/b?c=d,port",
    "OPTIONS,/v1/ports/65535/x,port"
  })
  void a_route_takes_its_capability_and_no_other(String method, String path, String capability)
      throws Exception {
    Capability wanted = Capability.of(capability).orElseThrow();
    for (Capability granted : Capability.grantable()) {
      HttpRequest request =
          HttpRequest.newBuilder(relay.uri(path))
              .header("Authorization", "Bearer " + relay.token(granted))
              .method(method, HttpRequest.BodyPublishers.noBody())
              .build();
      int status = relay.http.send(request, BodyHandlers.ofString()).statusCode();
      assertThat(status).as(granted.wireName()).isEqualTo(granted == wanted ? 200 : 403);
    }
  }

  @Test
  void another_method_is_named_with_those_that_are_taken() throws Exception {
    HttpResponse<String> reply = get("/v1/exec", relay.allToken());

    assertThat(reply.statusCode()).isEqualTo(405);
    assertThat(reply.headers().firstValue("Allow")).hasValue("POST");
    assertThat(reply.body()).contains("GET is not taken here");
  }

  @ParameterizedTest
  @CsvSource({
    "localhost,200", "127.0.0.1:8420,200", "[::1]:8420,200", "LOCALHOST,200",
    "evil.example,403", "localhost.evil.example,403", "127.0.0.1.nip.io,403", "192.0.2.7,403"
  })
  void names_that_are_not_ours_are_refused(String host, int status) throws Exception {
    try (RawClient client = new RawClient(relay.port())) {
      client.send(
          "GET /.well-known/jwks.json HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
      assertThat(client.rest()).startsWith("HTTP/1.1 " + status + " ");
    }
  }

  @Test
  void pages_of_another_origin_are_refused() throws Exception {
    String auth = "Authorization: Bearer " + relay.allToken() + "\r\n";

    assertThat(raw(SANDBOX + "/v1/health", auth + "Origin: http://evil.example"))
        .startsWith("HTTP/1.1 403 ");
    assertThat(raw(SANDBOX + "/v1/health", auth + "Origin: null")).startsWith("HTTP/1.1 403 ");
    assertThat(raw(SANDBOX + "/v1/health", auth + "Origin: http://localhost"))
        .startsWith("HTTP/1.1 200 ");
  }

  @Test
  void the_key_set_is_public_and_may_be_kept_a_minute() throws Exception {
    HttpResponse<String> reply =
        relay.http.send(
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + relay.port() + "/.well-known/jwks.json"))
                .build(),
            BodyHandlers.ofString());

    assertThat(reply.headers().firstValue("Cache-Control")).hasValue("public, max-age=60");
    assertThat(reply.body()).contains("\"P-256\"").doesNotContain("\"d\"");
  }

  @Test
  void a_refused_upload_is_answered_before_its_body_is_whole() throws Exception {
    try (RawClient client = new RawClient(relay.port())) {
      client.send(
          "POST "
              + SANDBOX
              + "/v1/files/upload?path=x HTTP/1.1\r\nHost: localhost\r\n"
              + "Content-Length: 1000000\r\n\r\nstart");
      assertThat(client.head())
          .startsWith("HTTP/1.1 401 ")
          .containsIgnoringCase("connection: close");
    }
    assertThat(boxd.connections()).isZero();
  }

  @Test
  void a_sandbox_takes_many_requests_at_once_but_not_without_end() throws Exception {
    try (HostileBoxd silent =
        new HostileBoxd(via, (in, out) -> in.transferTo(OutputStream.nullOutputStream()))) {
      relay.put(1, 0, silent.address());
      String health =
          "GET "
              + SANDBOX
              + "/v1/health HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
              + relay.allToken()
              + "\r\n\r\n";
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < 192; i++) {
        clients.add(new RawClient(relay.port()).send(health));
      }
      await().until(() -> relay.streams.count() == 192);
      HttpResponse<String> reply = get("/v1/health", relay.allToken());
      for (RawClient client : clients) {
        client.close();
      }
      assertThat(reply.statusCode()).isEqualTo(429);
      await().until(() -> relay.streams.count() == 0);
    }
  }

  private HttpResponse<String> get(String path, String token) throws Exception {
    return relay.http.send(
        HttpRequest.newBuilder(relay.uri(path)).header("Authorization", "Bearer " + token).build(),
        BodyHandlers.ofString());
  }

  private String raw(String path, String headers) throws IOException {
    try (RawClient client = new RawClient(relay.port())) {
      client.send(
          "GET "
              + path
              + " HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: same\r\nConnection: close\r\n"
              + headers
              + "\r\n\r\n");
      return client.rest();
    }
  }
}
