package dev.sandboxer.platform.api.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong calls: a clear error each, and nothing made. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadRequestsTest {

  private static final String PLAIN = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final String CONSUMER = "\"consumer\": {\"actor\": \"adm\", \"project\": \"p\"}";

  private final Api api = InProcess.api();

  private final Set<String> before = sandboxes();

  @AfterAll
  void noneMadeASandbox() {
    assertThat(sandboxes()).isEqualTo(before);
  }

  private Set<String> sandboxes() {
    return Set.copyOf(
        api.get("/v1/sandboxes?limit=1000").json().path("items").findValuesAsText("id"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "not json|valid JSON",
        "[]|JSON object",
        "{\"profile\": \"local\"}|'consumer' is missing",
        "{\"profile\": \"no-such\", CONSUMER}|no-such",
        "{\"profile\": 7, CONSUMER}|'profile' is 7",
        "{\"profile\": \"local\", CONSUMER, \"colour\": \"red\"}|colour",
        "{\"profile\": \"local\", \"consumer\": {\"actor\": \"bot\", \"project\": \"p\"}}|consumer.actor",
        "{\"profile\": \"local\", CONSUMER, \"ttl_seconds\": 0}|ttl_seconds",
        "{\"profile\": \"local\", CONSUMER, \"ttl_seconds\": \"10\"}|ttl_seconds",
        "{\"profile\": \"local\", CONSUMER, \"ttl_seconds\": 999999}|ttl_seconds",
        "{\"profile\": \"local\", CONSUMER, \"env\": {\"A B\": \"x\"}}|env",
        "{\"profile\": \"local\", CONSUMER, \"labels\": {\"a\": 1}}|labels.a",
        "{\"profile\": \"local\", CONSUMER, \"mounts\": {}}|field 'mounts' is {}; it must be a list of at most 16",
        "{\"profile\": \"local\", CONSUMER, \"inputs\": []}|'inputs' is []",
        "{\"profile\": \"local\", CONSUMER, \"inputs\": {\"colour\": \"red\"}}|colour",
        "{\"profile\": \"local\", CONSUMER, \"routing\": []}|field 'routing' is []; it must be an object",
        "{\"profile\": \"local\", CONSUMER, \"routing\": {\"require\": {\"hosting\": \"x\"}}}|'routing.require.hosting'",
        "{\"profile\": \"local\", CONSUMER, \"routing\": {\"candidates\": [7]}}|'routing.candidates[0]'",
        "{\"profile\": \"local\", CONSUMER, \"routing\": {\"candidates\": [\"docker\"]}}|ext.<name>",
        "{\"profile\": \"local\", CONSUMER, \"max_cost\": \"1\"}|field 'max_cost'",
        "{\"profile\": \"local\", CONSUMER, \"max_cost\": {\"amount\": \"-1\", \"currency\": \"EUR\"}}|'max_cost.amount'",
        "{\"profile\": \"local\", CONSUMER, \"max_cost\": {\"amount\": \"1\", \"currency\": \"XYZ\"}}|currency",
        "{\"profile\": \"local\", \"profile\": \"local\", CONSUMER}|Duplicate",
      })
  void bodiesAreRefusedWithFieldAndExample(String body, String expected) {
    Api.Reply reply = api.post("/v1/sandboxes", body.replace("CONSUMER", CONSUMER));
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.code()).isEqualTo("VALIDATION");
    assertThat(reply.field("/detail")).contains(expected);
    assertThat(reply.headers().firstValue("Content-Type").orElse(""))
        .startsWith("application/problem+json");
    assertThat(reply.field("/error/request_id"))
        .isEqualTo(reply.headers().firstValue("X-Request-Id").orElseThrow());
    assertThat(reply.json().path("example").path("profile").asText()).isEqualTo("local");
  }

  @Test
  void depthIsBounded() {
    String deep = "{\"labels\": " + "[".repeat(100) + "]".repeat(100) + "}";
    assertThat(api.post("/v1/sandboxes", deep).status()).isEqualTo(400);
  }

  @Test
  void onlyJsonIsTaken() {
    Api.Reply reply = api.post("/v1/sandboxes", Api.create("local"), "Content-Type", "text/plain");
    assertThat(reply.status()).as(reply.text()).isEqualTo(415);
    assertThat(reply.code()).isEqualTo("UNSUPPORTED_MEDIA_TYPE");
  }

  @Test
  void aForeignOriginMayChangeNothing() {
    Api.Reply reply =
        api.post("/v1/sandboxes", Api.create("local"), "Origin", "https://evil.example");
    assertThat(reply.status()).as(reply.text()).isEqualTo(403);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/sandboxes?state=happy",
        "/v1/sandboxes?colour=red",
        "/v1/sandboxes?limit=0",
        "/v1/sandboxes?limit=1001",
        "/v1/sandboxes?cursor=!!",
        "/v1/sandboxes?label=x",
        "/v1/sandboxes?live=perhaps"
      })
  void queriesAreChecked(String path) {
    Api.Reply reply = api.get(path);
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.code()).isEqualTo("VALIDATION");
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/v1/nothing,404,NOT_FOUND",
    "GET,/q/info,404,NOT_FOUND",
    "GET,/q/metrics,404,NOT_FOUND",
    "GET,/v1/sandboxes/sb_aaaaaaaaaaaaaaaaaaaa,404,NOT_FOUND",
    "GET,/v1/sandboxes/nonsense,404,NOT_FOUND",
    "DELETE,/v1/sandboxes/sb_aaaaaaaaaaaaaaaaaaaa,404,NOT_FOUND",
    "PUT,/v1/sandboxes,405,METHOD_NOT_ALLOWED",
    "PATCH,/v1/sandboxes/sb_aaaaaaaaaaaaaaaaaaaa,405,METHOD_NOT_ALLOWED",
  })
  void unknownRoutesAndMethods(String method, String path, int status, String code) {
    Api.Reply reply = api.send(method, path, null);
    assertThat(reply.status()).as(reply.text()).isEqualTo(status);
    assertThat(reply.code()).isEqualTo(code);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "sbxk_00", "Basic eDp5", "sbxk_0000000000000000000"})
  void withoutAValidKeyNothingIsTold(String key) {
    Api.Reply reply = api.withKey(key).get("/v1/sandboxes");
    assertThat(reply.status()).isEqualTo(401);
    assertThat(reply.code()).isEqualTo("UNAUTHENTICATED");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/openapi", "/v1/metrics"})
  void operationsWantAnOperator(String path) {
    assertThat(api.withKey("").get(path).status()).isEqualTo(401);
    assertThat(api.withKey(consumerKey("default", "plain-" + path.length())).get(path).status())
        .isEqualTo(403);
    assertThat(api.get(path).status()).isEqualTo(200);
  }

  @Test
  void openPathsNeedNoKey() {
    for (String path :
        new String[] {
          "/", "/v1/health", "/v1/health/live", "/v1/health/ready", "/.well-known/jwks.json"
        }) {
      assertThat(api.withKey("").get(path).status()).as(path).isEqualTo(200);
    }
  }

  @Test
  void aConsumerListsNoKeys() {
    Api consumer = api.withKey(consumerKey("default", "no-lister"));
    assertThat(consumer.get("/v1/keys").status()).isEqualTo(403);
  }

  @Test
  void anEndedKeyCountsNoMore() {
    Api.Reply made =
        api.post(
            "/v1/keys", "{\"name\": \"gone\", \"role\": \"consumer\", \"tenant\": \"default\"}");
    Api ended = api.withKey(made.field("/key"));
    assertThat(ended.get("/v1/sandboxes").status()).isEqualTo(200);
    assertThat(api.delete("/v1/keys/" + made.field("/id")).status()).isEqualTo(200);
    assertThat(ended.get("/v1/sandboxes").status()).isEqualTo(401);
    assertThat(api.get("/v1/keys").text()).doesNotContain(made.field("/key"));
  }

  @Test
  void keysAndTenantsAreMadeOnceForOneIdempotencyKey() {
    String body = "{\"name\": \"once\", \"role\": \"consumer\"}";
    Api.Reply first = api.post("/v1/keys", body, "Idempotency-Key", "key-1");
    Api.Reply again = api.post("/v1/keys", body, "Idempotency-Key", "key-1");
    assertThat(again.field("/id")).isEqualTo(first.field("/id"));
    assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
    assertThat(again.text()).as("shown once").doesNotContain(first.field("/key"));
    String tenant = "{\"name\": \"made-once\"}";
    Api.Reply made = api.post("/v1/tenants", tenant, "Idempotency-Key", "tenant-1");
    assertThat(api.post("/v1/tenants", tenant, "Idempotency-Key", "tenant-1").field("/id"))
        .isEqualTo(made.field("/id"));
    assertThat(api.post("/v1/tenants", tenant).status()).isEqualTo(409);
  }

  private String consumerKey(String tenant, String name) {
    Api.Reply made =
        api.post(
            "/v1/keys",
            "{\"name\": \"%s\", \"role\": \"consumer\", \"tenant\": \"%s\"}"
                .formatted(name.replace('/', '-'), tenant));
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return made.field("/key");
  }

  @Test
  void anActorThatIsNoneIsRefused() {
    Api.Reply reply = api.get("/v1/sandboxes?actor=root");
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.field("/detail")).contains("root").contains("adm").contains("agt");
    assertThat(api.get("/v1/sandboxes?actor=adm").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/sandboxes",
        "/v1/keys",
        "/v1/openapi",
        "/v1/pipelines/x/mcp/y",
        "/v1/sandbox/sessions/x"
      })
  void whoSendsNoOrAWrongKeyIsToldHowToAuthenticate(String path) {
    for (Api caller : List.of(api.withKey(""), api.withKey("sbxk_wrong"))) {
      Api.Reply reply = caller.get(path);
      assertThat(reply.status()).as(reply.text()).isEqualTo(401);
      assertThat(reply.headers().firstValue("WWW-Authenticate").orElse("")).startsWith("Bearer");
    }
  }

  @ParameterizedTest
  @CsvSource({"PATCH,/v1/sandboxes,POST", "PUT,/v1/health,GET", "POST,/v1/sandboxes/x,DELETE"})
  void aWrongMethodIsToldTheRightOnes(String method, String path, String right) {
    Api.Reply reply = api.send(method, path, new byte[0]);
    assertThat(reply.status()).as(reply.text()).isEqualTo(405);
    assertThat(reply.headers().firstValue("Allow").orElse("")).contains(right);
    assertThat(reply.headers().firstValue("Content-Type").orElse(""))
        .startsWith("application/problem+json");
  }

  /** From an address of its own, so that others' wrong keys are not limited meanwhile. */
  @Test
  void manyWrongKeysAreLookedUpNoMore() throws IOException, InterruptedException {
    try (HttpClient client =
        HttpClient.newBuilder().localAddress(InetAddress.getByName("127.0.0.9")).build()) {
      assertThat(status(client, api.key())).isEqualTo(200);
      HttpResponse<String> first = keys(client, "sbxk_%083x".formatted(0));
      assertThat(first.statusCode()).isEqualTo(401);
      HttpResponse<String> last = first;
      for (int i = 1; i < 400 && last.statusCode() == 401; i++) {
        last = keys(client, "sbxk_%083x".formatted(i));
      }
      assertThat(last.statusCode()).isEqualTo(429);
      assertThat(last.body()).contains("RATE_LIMITED");
      assertThat(last.headers().firstValue("Retry-After")).hasValue("1");
      assertThat(status(client, api.key())).as("a key that was right before").isEqualTo(200);
    }
    assertThat(api.withKey("sbxk_wrong").get("/v1/keys").status()).as("others").isEqualTo(401);
  }

  private int status(HttpClient client, String key) throws IOException, InterruptedException {
    return keys(client, key).statusCode();
  }

  private HttpResponse<String> keys(HttpClient client, String key)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(api.base().resolve("/v1/keys"))
            .header("Authorization", "Bearer " + key)
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void aBrowserGetsAPageAndAProgramJson() {
    Api.Reply page = api.withKey("").get("/", "Accept", "text/html,*/*;q=0.8");
    assertThat(page.status()).isEqualTo(200);
    assertThat(page.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
    assertThat(page.text()).contains("Sandboxer", "ready", "/docs", "quickstart");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("default-src 'none'");
    for (String accept : List.of("*/*", "application/json")) {
      Api.Reply index = api.withKey("").get("/", "Accept", accept);
      assertThat(index.json().path("name").asText()).isEqualTo("sandboxer");
    }
  }

  /** Another reader, such as a proxy in front, could take each for something else. */
  @ParameterizedTest
  @ValueSource(
      strings = {"Transfer-Encoding: gzip", "Transfer-Encoding: x-chunked", "Host: example.com"})
  void aHeadOfTwoMeaningsIsRefusedAndTheConnectionClosed(String line) throws IOException {
    for (int i = 0; i < 50; i++) { // the second request may come at any moment of the refusal
      String reply = raw("GET / HTTP/1.1\r\nHost: localhost\r\n" + line + "\r\n\r\n" + PLAIN);
      assertThat(reply).startsWith("HTTP/1.1 400").contains("application/problem+json");
      assertThat(reply.split("HTTP/1.1 ", -1)).as("one reply: " + reply).hasSize(2);
    }
  }

  /** What the framework's own reader refuses has no body. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Transfer-Encoding: chunked, gzip",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
        "Transfer-Encoding: chunked\r\nContent-Length: 5"
      })
  void whatFollowsAHeadThatCannotBeReadIsNoRequest(String lines) throws IOException {
    String reply = raw("GET / HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n\r\n" + PLAIN);
    assertThat(reply).doesNotContain("HTTP/1.1 200");
  }

  @Test
  void aTargetWithAForeignHostIsJudgedByIt() throws IOException {
    assertThat(
            raw(
                "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 403")
        .contains("not served under that Host");
    assertThat(
            raw("GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 200");
  }

  private String raw(String request) throws IOException {
    try (Socket socket = new Socket(api.base().getHost(), api.base().getPort())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
