package dev.sandboxer.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.EventTypes;
import dev.sandboxer.testing.client.WebhookReceiver;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Webhooks at the command line, and the receivers of their guide. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebhooksTest {

  private static final String HOOKS = "/v1/webhooks";
  private Platform platform;
  private Api api;

  @BeforeAll
  void start() {
    // Within a whole plan something else arrives, however slow the machine.
    platform =
        Platform.start(
            Map.of("SANDBOXER_WEBHOOK_ALLOW", "127.0.0.1", "SANDBOXER_WEBHOOK_RETRIES", "5,5"));
    api = platform.api();
  }

  @AfterEach
  void endHooks() {
    for (JsonNode hook : api.get(HOOKS).json().path("items")) {
      assertThat(api.delete(HOOKS + "/" + hook.path("id").asText()).status()).isEqualTo(200);
    }
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  private static JsonNode made(Api api, String body) {
    Api.Reply reply = api.post(HOOKS, body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.json();
  }

  private static String path(JsonNode hook) {
    return HOOKS + "/" + hook.path("id").asText();
  }

  private String live() {
    String id = api.ready().path("id").asText();
    assertThat(api.delete("/v1/sandboxes/" + id, "Prefer", "wait=30").status()).isEqualTo(200);
    return id;
  }

  private JsonNode awaitHook(JsonNode hook, String pointer, String value) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> api.get(path(hook)).field(pointer).equals(value));
    return api.get(path(hook)).json();
  }

  @Test
  void theCommandLineDoesItAll() {
    Cli cli = new Cli(platform);
    try (WebhookReceiver receiver = WebhookReceiver.start()) {
      Cli.Result made =
          cli.run("webhooks", "create", receiver.url(), "--type", "sandbox.ready", "--json");
      assertThat(made.code()).as(made.err()).isZero();
      String id = made.json().path("id").asText();
      assertThat(made.json().path("types")).hasSize(1);
      String secret = made.json().path("secret").asText();
      assertThat(secret).startsWith("whsec_");
      assertThat(platform.log()).doesNotContain(secret.substring("whsec_".length()));
      Cli.Result tried = cli.run("webhooks", "test", id);
      assertThat(tried.code()).as(tried.err()).isZero();
      String event = tried.out().split(" ", -1)[0];
      assertThat(tried.out()).isEqualTo(event + " delivered\n");
      assertThat(cli.run("webhooks", "deliveries", id).out()).contains(event).contains("204");
      assertThat(cli.run("webhooks", "ls").out()).contains(id).contains(receiver.url());
      live();
      String ready = receiver.await(2).getLast().id();
      awaitHook(made.json(), "/waiting", "0");
      assertThat(cli.run("webhooks", "replay", id, ready).out()).isEqualTo(ready + " delivered\n");
      receiver.answer(_ -> 500);
      assertThat(cli.run("webhooks", "test", id).code()).isEqualTo(1);
      assertThat(cli.run("webhooks", "rm", "nonsense").code()).isEqualTo(2);
      assertThat(cli.run("webhooks", "rm", id).out()).isEqualTo(id + " deleted\n");
      assertThat(cli.run("webhooks", "rm", id).err()).contains(id);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "python, receiver.py, python3 receiver.py",
    "javascript, receiver.js, node receiver.js",
    "go, receiver.go, go run receiver.go"
  })
  void theGuidesReceiversTakeWhatIsGenuineAlone(String language, String file, String command)
      throws IOException, InterruptedException {
    String secret = "whsec_" + Base64.getEncoder().encodeToString("k".repeat(32).getBytes(UTF_8));
    try (WebhookProgram program = WebhookProgram.start(language, file, command, secret)) {
      JsonNode hook =
          made(api, "{\"url\": \"%s\", \"secret\": \"%s\"}".formatted(program.url(), secret));
      live();
      String life = String.join("\n", EventTypes.LIFE) + "\n";
      await().atMost(Duration.ofMinutes(1)).until(() -> program.printed().equals(life));
      api.post(path(hook) + "/rotate-secret", "{}");
      assertThat(api.post(path(hook) + "/test", "{}").field("/outcome")).isEqualTo("delivered");
      awaitHook(hook, "/failures", "0");

      URI receiver = program.url();
      String now = Long.toString(Instant.now().getEpochSecond());
      String old = Long.toString(Instant.now().getEpochSecond() - 600);
      String body = "{\"type\": \"genuine\"}";
      String good = WebhookReceiver.sign(secret, "msg_1", now, body);
      assertThat(status(receiver, body, "msg_1", now, "v1,AAAA " + good)).isEqualTo(204);
      assertThat(status(receiver, body + " ", "msg_1", now, good)).isEqualTo(401);
      assertThat(status(receiver, body, "msg_2", now, good)).isEqualTo(401);
      assertThat(status(receiver, body, "msg_1", now, good.replace("v1,", "v2,"))).isEqualTo(401);
      assertThat(status(receiver, body, "msg_1", now, "")).isEqualTo(401);
      String stale = WebhookReceiver.sign(secret, "msg_1", old, body);
      assertThat(status(receiver, body, "msg_1", old, stale)).isEqualTo(401);
      String strange = WebhookReceiver.sign(secret, "msg_1", "now", body);
      assertThat(status(receiver, body, "msg_1", "now", strange)).isEqualTo(401);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> program.printed().equals(life + "webhook.test\ngenuine\n"));
    }
  }

  /** By a connection of its own: the client would use one again that an old receiver has closed. */
  private static int status(
      URI receiver, String body, String id, String timestamp, String signature)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(receiver)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .setHeader("webhook-id", id)
            .setHeader("webhook-timestamp", timestamp)
            .setHeader("webhook-signature", signature)
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }
  }
}
