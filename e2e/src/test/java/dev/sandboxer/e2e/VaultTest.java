package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.VaultServer;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Secrets of a server of Vault, what a store that is away stops, and what it does not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VaultTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String INSIDE =
      "secret_refs: [{name: TOKEN, ref: \"vault:kv/team-a/api#token\", use: env}]\n";

  @TempDir private static Path folder;

  private VaultServer vault;
  private SecretReceiver receiver;
  private Platform platform;
  private Api api;

  @BeforeAll
  void start() throws IOException {
    vault = new VaultServer(folder);
    receiver = new SecretReceiver();
    String role = vault.role("platform", Map.of("token_ttl", "1m"));
    Path secretId = write(folder.resolve("secret-id"), vault.secretId("platform"));
    Map<String, String> settings = new HashMap<>(receiver.settings());
    settings.put(
        "SANDBOXER_GRANTED_SECRETS",
        "vault:kv/team-a/*, vault:kv/team-b/api#token, other:kv/*, none:kv/*");
    platform = Platform.start(settings);
    platform.terminate();
    Path stores =
        Files.createDirectory(
            platform.home().resolve("secret-stores"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    String config =
        """
        kind: vault
        config: {url: "%s", timeout_seconds: 2, auth: approle, role_id: %s, secret_id_file: %s}
        """;
    write(stores.resolve("vault.yaml"), config.formatted(vault.url(), role, secretId));
    write(stores.resolve("other.yaml"), config.formatted(vault.url(), "wrong", secretId));
    write(stores.resolve("pigeon.yaml"), "kind: carrier-pigeon\n");
    write(stores.resolve("typo.yaml"), "kind: vault\nconfg: {}\n");
    write(stores.resolve("unset.yaml"), "kind: vault\nconfig: {url: here}\n");
    write(stores.resolve("env.yaml"), "kind: vault\n");
    Path broken = Files.createDirectory(stores.resolve("broken"));
    Files.setPosixFilePermissions(broken, PosixFilePermissions.fromString("rwx------"));
    write(broken.resolve("broken.jar"), "no jar");
    platform.restart(settings);
    api = platform.api();
  }

  private static Path write(Path file, String text) throws IOException {
    Files.writeString(file, text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  @AfterAll
  void stop() {
    platform.close();
    receiver.close();
    vault.close();
  }

  private String profile(String name, String more) {
    platform.profile(
        name, "id: profile.%s\nversion: 1\nextends: local@2\n%s".formatted(name, more));
    return name;
  }

  private Api.Reply create(String profile, String... headers) {
    return api.post(
        "/v1/sandboxes",
        "{\"profile\": \"%s\", \"consumer\": {\"actor\": \"atm\", \"project\": \"e2e\"}}"
            .formatted(profile),
        headers);
  }

  private String inside(String sandbox, String script) {
    Api.Reply reply = api.access(sandbox).exec("sh", "-c", script);
    assertThat(reply.field("/stderr")).isEmpty();
    return reply.field("/stdout");
  }

  @Test
  void aSecretReachesTheSandboxItsFilesAndTheProxyAndIsReplaced() {
    Canary env = Canary.next();
    Canary file = Canary.next();
    Canary outside = Canary.next();
    vault.put(
        "team-a/used", Map.of("env", env.value(), "file", file.value(), "value", outside.value()));
    String name =
        profile(
            "used",
            """
            network: {mode: allow, allow: [{host: api.example, ports: [%d]}]}
            secret_refs:
              - {name: TOKEN, ref: "vault:kv/team-a/used#env", use: env}
              - {name: key, ref: "vault:kv/team-a/used#file", use: file}
              - {name: OUTSIDE, ref: "vault:kv/team-a/used", use: egress, hosts: [api.example]}
            """
                .formatted(receiver.port()));
    String sandbox = api.ready(name).path("id").asText();
    assertThat(inside(sandbox, "echo $TOKEN; cat /run/secrets/key"))
        .isEqualTo(env.value() + "\n" + file.value());
    assertThat(receiver.ask(api, sandbox, "api.example", "GET").field("/stdout")).isEqualTo("ok\n");
    assertThat(receiver.seen()).contains("GET api.example mine key=" + outside.value());

    vault.put("team-a/used", Map.of("env", "e2", "file", "f2", "value", "o2"));
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              var _ = receiver.ask(api, sandbox, "api.example", "GET");
              return receiver.seen().contains("GET api.example mine key=o2");
            });
    String next = api.ready(name).path("id").asText();
    assertThat(inside(next, "echo $TOKEN; cat /run/secrets/key")).isEqualTo("e2\nf2");
    assertThat(inside(sandbox, "echo $TOKEN")).isEqualTo(env.value() + "\n");
    for (Canary canary : List.of(env, file, outside)) {
      assertThat(canary.in(platform.home())).isEmpty();
      assertThat(canary.onTheMachine()).isEmpty();
    }
  }

  @Test
  void aStoreThatIsAwayStopsWhatIsToBeMadeAndNothingElse() throws Exception {
    vault.put("team-a/api", Map.of("token", "there"));
    String name = profile("inside", INSIDE);
    String key = UUID.randomUUID().toString();
    Api.Reply first = create(name, "Idempotency-Key", key, "Prefer", "wait=60");
    assertThat(first.status()).as(first.text()).isEqualTo(201);
    String sandbox = first.field("/id");
    JsonNode box = ok(box("living", name));
    String thread = Door.thread();
    JsonNode session = ok(session(thread, name));
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/boxes/" + box.path("id").asText()).text().contains("ready"));

    vault.seal();
    assertAway(name, "the server is sealed");
    assertThat(inside(sandbox, "echo $TOKEN")).isEqualTo("there\n");
    Api.Reply again = create(name, "Idempotency-Key", key);
    assertThat(again.field("/id")).as(again.text()).isEqualTo(sandbox);
    assertThat(ok(box("living", name)).path("id")).isEqualTo(box.path("id"));
    assertThat(ok(session(thread, name)).path("session_id")).isEqualTo(session.path("session_id"));
    assertThat(box("another", name).status()).isEqualTo(503);
    assertThat(session(Door.thread(), name).status()).isEqualTo(503);
    Api.Reply recreated = api.post("/v1/sandboxes/" + sandbox + "/recreate", "", "If-Match", "1");
    assertThat(recreated.status()).as(recreated.text()).isEqualTo(503);
    assertThat(api.get("/v1/sandboxes/" + sandbox).json().path("generation").asInt()).isEqualTo(1);
    await().atMost(PATIENCE).until(() -> store("vault").path("state").asText().equals("away"));
    assertThat(health("vault")).isEqualTo("away: the server is sealed, or not ready");

    vault.unseal();
    assertThat(api.ready(name).path("state").asText()).isEqualTo("ready");
    await().atMost(PATIENCE).until(() -> store("vault").path("state").asText().equals("up"));
    vault.stop();
    assertAway(name, "the server did not answer within");
    assertThat(inside(sandbox, "echo $TOKEN")).isEqualTo("there\n");
    vault.goOn();
    await().atMost(PATIENCE).until(() -> create(name).status() == 202);
  }

  private Api.Reply box(String session, String profile) {
    return api.post(
        "/v1/boxes", "{\"session_id\": \"%s\", \"profile\": \"%s\"}".formatted(session, profile));
  }

  private Api.Reply session(String thread, String profile) {
    return api.post(
        Door.PATH,
        "{\"thread_id\": \"%s\", \"mode\": \"ensure\", \"profile\": \"%s\"}"
            .formatted(thread, profile));
  }

  private static JsonNode ok(Api.Reply reply) {
    assertThat(reply.status()).as(reply.text()).isBetween(200, 202);
    return reply.json();
  }

  private void assertAway(String name, String said) {
    // What was read is used for five seconds.
    await().atMost(PATIENCE).until(() -> create(name).status() == 503);
    int before = api.get("/v1/sandboxes?limit=1000").json().path("items").size();
    Api.Reply refused = create(name);
    assertThat(refused.status()).as(refused.text()).isEqualTo(503);
    assertThat(refused.code()).isEqualTo("UNAVAILABLE");
    assertThat(refused.headers().firstValue("Retry-After")).contains("5");
    assertThat(refused.field("/detail"))
        .contains("secret 'TOKEN' (vault:kv/team-a/api#token): " + said);
    assertThat(refused.field("/profile_key")).isEqualTo("secret_refs");
    assertThat(api.get("/v1/sandboxes?limit=1000").json().path("items")).hasSize(before);
  }

  @Test
  void whatCannotBeReadRefusesTheCreateAndSaysWhy() {
    vault.put("team-a/long", Map.of("value", "x".repeat(1 << 20)));
    vault.put("team-b/api", Map.of("token", "another team's"));
    assertRefused("long", "vault:kv/team-a/long", 400, "it must have 1 to 65536 bytes");
    assertRefused("key", "vault:kv/team-a/long#none", 400, "'kv/team-a/long' has no key 'none'");
    assertRefused("none", "vault:kv/team-a/none", 400, "there is no secret 'kv/team-a/none'");
    assertRefused("policy", "vault:kv/team-b/api#token", 400, "does not permit to read");
    assertRefused("grant", "vault:kv/team-b/api#other", 400, "is not granted to tenant 'default'");
    assertRefused("role", "other:kv/team-a/long", 503, "refuses the platform's login");
    assertRefused("unknown", "none:kv/a", 400, "there is no store 'none'; there are [broken, env");
  }

  private void assertRefused(String name, String ref, int status, String said) {
    String secrets = "secret_refs: [{name: A, ref: \"%s\", use: file}]\n".formatted(ref);
    Api.Reply refused = create(profile("refused-" + name, secrets));
    assertThat(refused.status()).as(refused.text()).isEqualTo(status);
    assertThat(refused.field("/detail")).contains(said);
  }

  @Test
  void whatIsWrongWithAStoreIsSaidAndDisturbsNoOther() {
    assertThat(store("vault").path("kind").asText()).isEqualTo("vault");
    assertThat(store("other").path("error").asText()).contains("refuses the platform's login");
    assertThat(error("broken")).contains("broken.jar is no jar");
    assertThat(error("pigeon")).contains("kind of secret store 'carrier-pigeon'", "[vault]");
    assertThat(error("typo")).contains("did you mean 'config'?");
    assertThat(error("unset")).contains("config.url 'here' must be such as https://");
    assertThat(error("env")).contains("the name 'env' is taken");
    assertThat(health("typo")).startsWith("failed: ");
    assertThat(platform.log())
        .contains("secret store failed id=pigeon reason=there is no kind of secret store");
    Api.Reply metrics = api.get("/v1/metrics", "Accept", "text/plain; version=0.0.4");
    assertThat(metrics.text()).contains("sandboxer_secret_read_seconds_count{");
  }

  private String error(String name) {
    assertThat(store(name).path("state").asText()).isEqualTo("failed");
    return store(name).path("error").asText();
  }

  private JsonNode store(String name) {
    return of(api.get("/v1/secret-stores").json().path("items"), name);
  }

  private String health(String name) {
    JsonNode checks = api.get("/v1/health/ready").json().path("checks");
    return of(checks, "secret store " + name).path("detail").asText();
  }

  private static JsonNode of(JsonNode items, String name) {
    for (JsonNode item : items) {
      if (item.path("name").asText().equals(name)) {
        return item;
      }
    }
    throw new AssertionError(name + " is not in " + items);
  }
}
