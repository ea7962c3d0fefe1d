package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.installation.Sealer;
import dev.sandboxer.platform.testing.TestDatabase;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.ClientGrant;
import dev.sandboxer.platform.token.Issuer;
import dev.sandboxer.platform.token.KeyPurpose;
import dev.sandboxer.platform.token.SigningKeys;
import dev.sandboxer.platform.token.TokenMinter;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The relay where it lives: in the platform, with its database, keys and listener. */
@QuarkusTest
@TestProfile(PlatformRelayTest.Profile.class)
@QuarkusTestResource(TestDatabase.class)
class PlatformRelayTest {

  private static final SandboxId ID = RelayHarness.ID;
  private static final String PAGE = "https://app.example";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TestHTTPResource
  @SuppressWarnings("NullAway.Init") // set by the framework
  URI base;

  @Inject SigningKeys keys;
  @Inject Issuer issuer;
  @Inject TokenMinter minter;
  @Inject BoxdClient boxdClient;
  @Inject BoxdCertificates certificates;
  @Inject OpenStreams streams;
  @Inject Jdbi jdbi;
  @Inject Sealer sealer;
  @Inject MapTargets targets;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PEER")
  void a_command_runs_and_files_go_both_ways(Via via) throws Exception {
    byte[] content = new byte[20_000_000];
    new Random(3).nextBytes(content);
    try (RealBoxd boxd = RealBoxd.start(via, certificates, keys.get(), issuer, ID, 1)) {
      boxdClient.awaitHealth(ID, 1, boxd.address(), PATIENCE);
      boxdClient.configure(ID, 1, boxd.address(), Map.of("A", "b"), 600, PATIENCE);
      targets.known.put(ID, new Target(ID, "ten_x", 1, 0, Transport.of(boxd.address())));

      HttpResponse<byte[]> up =
          send(request("/v1/files/upload?path=f").POST(BodyPublishers.ofByteArray(content)));
      assertThat(up.statusCode()).isBetween(200, 204);
      assertThat(send(request("/v1/files/download?path=f")).body()).isEqualTo(content);
      HttpResponse<byte[]> run =
          send(
              request("/v1/exec")
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofString("{\"command\":\"echo $A\"}")));
      assertThat(new String(run.body(), StandardCharsets.UTF_8)).contains("\"b\\n\"");
      await().atMost(PATIENCE).until(() -> streams.count() == 0);
    }
  }

  @Test
  void a_web_socket_is_spliced_with_nothing_lost() throws Exception {
    String key = "dGhlIHNhbXBsZSBub25jZQ==";
    try (HostileBoxd boxd =
            new HostileBoxd(
                (in, out) -> {
                  out.write(BackPressureTest.switching(key).getBytes(StandardCharsets.US_ASCII));
                  out.write(Ws.fromServer(Ws.TEXT, "first"));
                  out.write(Ws.fromServer(Ws.TEXT, Ws.read(in).text()));
                  in.transferTo(OutputStream.nullOutputStream());
                });
        RawClient client = new RawClient(base.getPort())) {
      targets.known.put(ID, new Target(ID, "ten_x", 1, 0, Transport.of(boxd.address())));
      client.send(
          "GET /dp/"
              + ID
              + "/v1/exec/ws HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
              + token()
              + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
              + "Sec-WebSocket-Key: "
              + key
              + "\r\n\r\n");
      assertThat(client.head()).startsWith("HTTP/1.1 101 ");
      client.send(Ws.fromClient(Ws.TEXT, "echo"));
      assertThat(Ws.read(client.in()).text()).isEqualTo("first");
      assertThat(Ws.read(client.in()).text()).isEqualTo("echo");
      assertThat(streams.close(ID, 1)).isEqualTo(1);
      assertThat(Ws.read(client.in()).status()).isEqualTo(1008);
      assertThat(client.rest()).isEmpty();
    }
  }

  @Test
  void without_a_token_nothing_is_served_below_dp() throws Exception {
    HttpResponse<byte[]> reply =
        send(HttpRequest.newBuilder(base.resolve("/dp/" + ID + "/v1/health")));

    assertThat(reply.statusCode()).isEqualTo(401);
    assertThat(reply.headers().firstValue("X-Request-Id").orElseThrow()).startsWith("req_");
  }

  @Test
  void every_path_looks_at_the_host() throws Exception {
    for (String path : new String[] {"/", "/v1/health", "/q/health", "/dp/x", "/none"}) {
      try (RawClient client = new RawClient(base.getPort())) {
        client.send(
            "GET " + path + " HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n");
        assertThat(client.rest()).as(path).startsWith("HTTP/1.1 403 ");
      }
    }
  }

  @Test
  void pages_of_listed_origins_may_ask_and_read() throws Exception {
    for (String path : List.of("/v1/sandboxes", "/dp/" + ID + "/v1/exec")) {
      HttpResponse<byte[]> asked = asked(path, PAGE);
      assertThat(asked.statusCode()).as(path).isEqualTo(204);
      assertThat(header(asked, "Access-Control-Allow-Origin")).isEqualTo(PAGE);
      assertThat(header(asked, "Access-Control-Allow-Methods")).contains("POST", "DELETE");
      assertThat(header(asked, "Access-Control-Allow-Headers"))
          .contains("Authorization", "Content-Type", "Idempotency-Key");
      HttpResponse<byte[]> refused =
          send(HttpRequest.newBuilder(base.resolve(path)).header("Origin", PAGE));
      assertThat(refused.statusCode()).as("a page may read errors too").isEqualTo(401);
      assertThat(header(refused, "Access-Control-Allow-Origin")).isEqualTo(PAGE);
      assertThat(header(refused, "Access-Control-Expose-Headers")).contains("X-Request-Id");
      assertThat(header(refused, "Vary")).containsIgnoringCase("Origin");
      assertThat(header(refused, "Access-Control-Allow-Credentials")).isEmpty();
    }
  }

  @Test
  void other_pages_get_no_permission_of_any_kind() throws Exception {
    for (String origin : List.of("https://evil.example", PAGE + ".evil.example", "null")) {
      for (String path : List.of("/v1/sandboxes", "/dp/" + ID + "/v1/exec")) {
        for (HttpResponse<byte[]> reply :
            List.of(
                asked(path, origin),
                send(HttpRequest.newBuilder(base.resolve(path)).header("Origin", origin)))) {
          assertThat(reply.headers().map().keySet())
              .as(origin + path)
              .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("access-control"));
        }
      }
    }
  }

  private HttpResponse<byte[]> asked(String path, String origin) throws Exception {
    return send(
        HttpRequest.newBuilder(base.resolve(path))
            .method("OPTIONS", BodyPublishers.noBody())
            .header("Origin", origin)
            .header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", "authorization,content-type"));
  }

  private static String header(HttpResponse<byte[]> reply, String name) {
    return String.join(",", reply.headers().allValues(name));
  }

  @Test
  void no_other_protocol_is_switched_to() throws Exception {
    try (RawClient client = new RawClient(base.getPort())) {
      client.send(
          """
          GET /.well-known/jwks.json HTTP/1.1
          Host: localhost
          Connection: Upgrade, HTTP2-Settings
          Upgrade: h2c
          HTTP2-Settings: AAMAAABkAAQAAP__

          """
              .replace("\n", "\r\n"));
      assertThat(client.head()).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void the_keys_are_made_once_and_rest_sealed() throws Exception {
    String before = keys.relayJwks();
    SigningKeys anotherNode = new SigningKeys(jdbi, sealer);
    assertThatThrownBy(anotherNode::get).isInstanceOf(IllegalStateException.class);
    anotherNode.load();

    assertThat(anotherNode.relayJwks()).isEqualTo(before);
    String published =
        new String(
            send(HttpRequest.newBuilder(base.resolve("/.well-known/jwks.json"))).body(),
            StandardCharsets.UTF_8);
    assertThat(published).isEqualTo(anotherNode.get().jwks(KeyPurpose.CLIENT)).isNotEqualTo(before);
    String stored =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery(
                        "select string_agg(public_jwk::text || encode(sealed, 'escape'), ' ')"
                            + " from signing_key")
                    .mapTo(String.class)
                    .one());
    assertThat(stored).contains("\"ES256\"").doesNotContain("\"d\"");
    assertThat(new JsonObject(published).getJsonArray("keys")).hasSize(1);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(base.resolve("/dp/" + ID + path))
        .header("Authorization", "Bearer " + token());
  }

  private String token() {
    return minter
        .client(new ClientGrant(ID, 1, 0, "user", null, "key_x", null, Capability.grantable()))
        .value();
  }

  private HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.ofByteArray());
  }

  /** Takes the sandboxes from a map. */
  public static final class Profile implements QuarkusTestProfile {

    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.of("SANDBOXER_CORS_ORIGINS", PAGE);
    }

    @Override
    public Set<Class<?>> getEnabledAlternatives() {
      return Set.of(MapTargets.class);
    }
  }

  /** Sandboxes in a map. */
  @Alternative
  @Singleton
  static class MapTargets implements DataplaneTargets {

    final Map<SandboxId, Target> known = new ConcurrentHashMap<>();

    @Override
    public Optional<Target> find(SandboxId sandboxId) {
      return Optional.ofNullable(known.get(sandboxId));
    }

    @Override
    public Optional<Target> load(SandboxId sandboxId) {
      return find(sandboxId);
    }

    @Override
    public void used(Target target) {
      // Nobody asks here.
    }
  }
}
