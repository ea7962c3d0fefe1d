package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What a profile's secrets are inside, and that their values are nowhere else. */
@OnEveryBackend
class SecretsTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final String SECRETS =
      """
      secret_refs:
        - {name: API_TOKEN, ref: "env:API_TOKEN", use: env}
        - {name: deploy_key, ref: "file:%s", use: file}
      """;

  @Parameter private Backend backend;

  private final String token = Canary.next().value();
  private final String key = Canary.next().value();
  private final String outside = Canary.next().value();
  private SecretReceiver receiver;
  private Map<String, String> settings = Map.of();
  private Platform platform;
  private Api api;
  private String profile = "";

  @BeforeAll
  void start() throws IOException {
    receiver = new SecretReceiver();
    settings = new HashMap<>(receiver.settings());
    settings.put("SANDBOXER_SECRET_API_TOKEN", token);
    settings.put("SANDBOXER_SECRET_OUTSIDE", outside);
    settings.put("SANDBOXER_SECRET_OTHER", "other");
    settings.put("SANDBOXER_GRANTED_SECRETS", "default=env:API_TOKEN, env:OUTSIDE, team-a=env:*");
    platform = Platform.start(settings);
    api = platform.api();
  }

  @BeforeEach
  void makeProfile() throws IOException {
    file("deploy-key", key + "\n");
    profile = profile("secrets-" + backend, SECRETS.formatted("deploy-key"));
  }

  @AfterAll
  void stop() {
    api.destroyAll();
    platform.close();
    receiver.close();
  }

  private void file(String name, String content) throws IOException {
    Path folder = Files.createDirectories(platform.home().resolve("secrets/default"));
    Files.writeString(folder.resolve(name), content);
  }

  private String profile(String name, String secrets) throws IOException {
    platform.profile(
        name,
        """
        id: profile.%s
        version: 1
        extends: %s@2
        %s"""
            .formatted(name, backend.profileWithPython(), secrets));
    return name;
  }

  private Api.Reply create(String name) {
    return api.post("/v1/sandboxes", body(name, "labels", "{}"));
  }

  private static String body(String name, String field, String value) {
    return "{\"profile\": \"%s\", \"consumer\": {\"actor\": \"atm\", \"project\": \"e2e\"}, \"%s\": %s}"
        .formatted(name, field, value);
  }

  private String inside(String sandbox, String script) {
    Api.Reply reply = api.access(sandbox).exec("sh", "-c", script);
    assertThat(reply.field("/stderr")).isEmpty();
    return reply.field("/stdout");
  }

  @Test
  void aSecretIsInsideAndNowhereElse() throws IOException {
    String sandbox = api.ready(profile).path("id").asText();

    assertThat(inside(sandbox, "echo $API_TOKEN")).isEqualTo(token + "\n");
    assertThat(inside(sandbox, "cat /run/secrets/deploy_key")).isEqualTo(key + "\n");
    assertThat(inside(sandbox, "stat -c %a /run/secrets/deploy_key; stat -fc %T /run/secrets"))
        .isEqualTo("400\ntmpfs\n");
    assertThat(inside(sandbox, "env | grep -c canary; grep -c canary /proc/1/cmdline; true"))
        .isEqualTo("1\n0\n");

    String shown = "shown-" + UUID.randomUUID();
    Api.Reply labelled =
        api.post("/v1/sandboxes", body(profile, "labels", "{\"canary\": \"%s\"}".formatted(shown)));
    assertThat(labelled.status()).as(labelled.text()).isIn(201, 202);
    assertThat(found(shown)).isNotEmpty();
    String crash = "ulimit -c unlimited 2>/dev/null; cd /tmp; sh -c 'kill -SEGV $$'; ls -a /tmp";
    assertThat(inside(sandbox, "(%s) 2>/dev/null".formatted(crash))).doesNotContain("core");
    assertThat(found(token)).isEmpty();
    assertThat(found(key)).isEmpty();
    for (String path : List.of("", "/events", "/processes")) {
      assertThat(api.get("/v1/sandboxes/" + sandbox + path).text())
          .doesNotContain(token)
          .doesNotContain(key);
    }
  }

  /** Also after the platform has died: what is inside still fits. */
  @Test
  void aSecretOfTheProxyReachesItsHostAndNeverTheSandbox() throws IOException {
    int port = receiver.port();
    String name =
        profile(
            "outside-" + backend,
            """
            network:
              mode: allow
              allow:
                - {host: api.example, ports: [%d], methods: [GET]}
                - {host: other.example, ports: [%d]}
            secret_refs:
              - {name: BEARER, ref: "env:OUTSIDE", use: egress, hosts: [api.example], header: Authorization, format: "Bearer {}"}
              - {name: OUTSIDE, ref: "env:OUTSIDE", use: egress, hosts: [api.example]}
            """
                .formatted(port, port));
    receiver.seen().clear();
    String sandbox = api.ready(name).path("id").asText();
    String wanted = "GET api.example Bearer %s key=%s".formatted(outside, outside);

    assertThat(ask(sandbox, "api.example", "GET", "DELETE", "GET"))
        .startsWith("ok\n403 ")
        .contains("DELETE in methods would allow it")
        .endsWith("ok\n");
    assertThat(receiver.seen()).containsExactly(wanted, wanted);
    assertThat(
            inside(
                sandbox,
                "cat /proc/[0-9]*/environ /run/secrets/* 2>/dev/null | grep -c %s; true"
                    .formatted(outside)))
        .isEqualTo("0\n");

    platform.kill();
    platform.restart(settings);
    api = platform.api();
    receiver.seen().clear();
    assertThat(ask(sandbox, "api.example", "GET")).isEqualTo("ok\n");
    assertThat(receiver.seen()).containsExactly(wanted);
    assertThat(found(outside)).isEmpty();
  }

  private String ask(String sandbox, String host, String... methods) {
    Api.Reply reply = receiver.ask(api, sandbox, host, methods);
    assertThat(reply.field("/stderr")).isEmpty();
    return reply.field("/stdout");
  }

  /** Where a text stands: database, its log and the platform's, arguments, containers. */
  private List<String> found(String text) {
    return new Canary(text).found(platform);
  }

  @Test
  void aChangedSecretIsTheNextSandboxs() throws IOException {
    String name = profile("rotated-" + backend, SECRETS.formatted("rotated"));
    file("rotated", "first");
    assertThat(create(name).status()).isEqualTo(202);
    String next = "next-" + UUID.randomUUID();
    file("rotated", next);
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              String sandbox = api.ready(name).path("id").asText();
              String value = inside(sandbox, "cat /run/secrets/deploy_key");
              var _ = api.delete("/v1/sandboxes/" + sandbox);
              return value.equals(next);
            });
  }

  @Test
  void whatIsNotGrantedOrNotThereIsRefusedBeforeAnythingIsMade() throws IOException {
    String other = "secret_refs: [{name: A, ref: \"env:OTHER\", use: env}]\n";
    assertRefused(
        profile("other-" + backend, other),
        "secret 'A' (env:OTHER) is not granted to tenant 'default'",
        "SANDBOXER_GRANTED_SECRETS=default=env:OTHER");
    String missing = "secret_refs: [{name: A, ref: \"file:missing\", use: file}]\n";
    assertRefused(profile("missing-" + backend, missing), "secret 'A' (file:missing): there is no");
    file("long", "x".repeat(1 << 20));
    String large = "secret_refs: [{name: A, ref: \"file:long\", use: file}]\n";
    assertRefused(profile("long-" + backend, large), "it must have 1 to 65536 bytes");
    file("binary", "a\0b");
    String binary = "secret_refs: [{name: A, ref: \"file:binary\", use: env}]\n";
    assertRefused(profile("binary-" + backend, binary), "it is no text");
    String store = "secret_refs: [{name: A, ref: \"vault:kv/a\", use: env}]\n";
    assertRefused(profile("store-" + backend, store), "is not granted");
  }

  private void assertRefused(String name, String... said) {
    Api.Reply refused = create(name);
    assertThat(refused.status()).as(refused.text()).isEqualTo(400);
    assertThat(refused.field("/detail")).contains(said);
    assertThat(refused.field("/profile_key")).isEqualTo("secret_refs");
    assertThat(api.get("/v1/sandboxes?profile=" + name).json().path("items")).isEmpty();
  }

  @Test
  void aRequestCannotReplaceASecret() {
    Api.Reply refused =
        api.post("/v1/sandboxes", body(profile, "env", "{\"API_TOKEN\": \"mine\"}"));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.field("/detail")).contains("'env.API_TOKEN': it is a secret");
  }
}
