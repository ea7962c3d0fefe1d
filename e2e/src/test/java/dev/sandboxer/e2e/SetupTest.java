package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** The steps of a profile's setup run once, and what they made is there for every sandbox. */
@OnEveryBackend
class SetupTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Each run makes another {@code id}; a narrow umask must not shut out later sandboxes. */
  private static final String STEPS =
      """
      resources: {setup: 8Mi}
      env: {GREETING: hello}
      setup:
        - run: |
            umask 077
            mkdir /run/setup/bin
            printf '#!/bin/sh\\necho "%s $1"\\n' "$GREETING" > /run/setup/bin/greet
            chmod +x /run/setup/bin/greet
        - {run: "read id < /proc/sys/kernel/random/uuid; echo $id > /run/setup/id; id -u", timeout: 30s}
      """;

  @Parameter private Backend backend;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final String secret = Canary.next().value();
  private Platform platform;
  private Api api;

  @BeforeAll
  void start() {
    platform =
        Platform.start(
            Map.of(
                "SANDBOXER_SETUP_CACHE_MIB",
                "8",
                "SANDBOXER_SECRET_TOKEN",
                secret,
                "SANDBOXER_GRANTED_SECRETS",
                "env:TOKEN"));
    api = platform.api();
  }

  @AfterAll
  void stop() {
    api.destroyAllOfAllTenants();
    platform.close();
    threads.shutdownNow();
  }

  private String profile(String name, int version, String yaml) {
    platform.profile(
        name,
        """
        id: profile.%s
        version: %d
        extends: %s@2
        %s
        """
            .formatted(name, version, backend.profileWithPython(), yaml));
    return name;
  }

  private String created(Api by, String profile, String more) {
    Api.Reply reply =
        by.post(
            "/v1/sandboxes",
            """
            {"profile": "%s", "consumer": {"actor": "atm", "project": "e2e"}%s}"""
                .formatted(profile, more),
            "Prefer",
            "wait=120");
    assertThat(reply.status()).as(reply.text()).isIn(201, 202);
    return reply.field("/id");
  }

  private String out(Api by, String sandbox, String line) {
    Api.Reply ended = by.access(sandbox).exec("sh", "-c", line);
    assertThat(ended.field("/exit_code")).as(ended.text()).isEqualTo("0");
    return ended.field("/stdout").strip();
  }

  private String id(String profile, String more) {
    return out(api, created(api, profile, more), "cat /run/setup/id");
  }

  private List<String> events(String sandbox) {
    List<String> types = new ArrayList<>();
    for (JsonNode event : api.get("/v1/sandboxes/" + sandbox + "/events").json().path("items")) {
      types.add(event.path("type").asText());
    }
    return types;
  }

  private Set<Path> layers() throws IOException {
    try (Stream<Path> all = Files.list(platform.home().resolve("setup"))) {
      return Set.copyOf(all.toList());
    }
  }

  @Test
  void itRunsOnceForAllWhoAskAtTheSameTime() {
    String profile = profile("setup-" + backend, 1, STEPS);
    List<CompletableFuture<String>> creates =
        Stream.generate(
                () -> CompletableFuture.supplyAsync(() -> created(api, profile, ""), threads))
            .limit(4)
            .toList();
    List<String> sandboxes = creates.stream().map(CompletableFuture::join).toList();
    List<String> ids =
        sandboxes.stream().map(sandbox -> out(api, sandbox, "cat /run/setup/id")).toList();
    assertThat(Set.copyOf(ids)).as(ids.toString()).hasSize(1);
    assertThat(sandboxes.stream().filter(sandbox -> events(sandbox).contains("setup.done")))
        .hasSize(1);

    String first = sandboxes.getFirst();
    assertThat(out(api, first, "greet you")).isEqualTo("hello you");
    assertThat(out(api, first, "ls -a /workspace")).isEqualTo(".\n..");
    Api.Reply written = api.access(first).exec("sh", "-c", "echo x > /run/setup/id");
    assertThat(written.field("/stderr")).contains("Read-only file system");
    assertThat(backend.objectsOf(first)).hasSize(1);
  }

  @Test
  void whatItDependsOnMakesAnother() {
    String profile = profile("depends-" + backend, 1, STEPS);
    String first = id(profile, "");
    assertThat(id(profile, "")).isEqualTo(first);
    assertThat(id(profile, ", \"env\": {\"OTHER\": \"1\"}")).isEqualTo(first);
    String greeting = ", \"env\": {\"GREETING\": \"good day\"}";
    assertThat(id(profile, greeting)).isNotEqualTo(first);
    assertThat(out(api, created(api, profile, greeting), "greet you")).isEqualTo("good day you");
    profile("depends-" + backend, 2, STEPS);
    assertThat(id(profile + "@2", "")).isNotEqualTo(first);

    Api others = new Door(api).ofNewTenant("others-" + backend).api();
    String theirs = created(others, profile + "@1", "");
    assertThat(out(others, theirs, "cat /run/setup/id")).isNotEqualTo(first);
  }

  @Test
  void aFailedStepShowsItsOutput() throws IOException {
    fails(
        "echo no such package >&2; exit 3",
        "step 2 of 2 (echo no such package >&2; exit 3) ended with 3: no such package");
    fails("printf 'a\\000b\\n'; exit 9", "ended with 9: a?b");
    fails("false; echo unreached", "ended with 1, without output");
    fails("head -c 9M /dev/zero > /run/setup/zeros", "No space left on device");
    fails("echo begun; sleep 300", "did not end within 2 s and was killed: begun");
    var _ =
        fails(
            503,
            "truncate -s 9M /run/setup/holes",
            "the sandbox has more than 8388608 bytes there");
    fails("kill -9 $$", "was ended by SIGKILL");
    fails("python3 -c 'x = b\"x\" * (1 << 30)'", "for lack of memory: raise resources.memory");
    assertThat(layers()).noneMatch(layer -> layer.getFileName().toString().startsWith("."));
  }

  private void fails(String run, String message) {
    assertThat(events(fails(400, run, message))).contains("setup.step", "setup.failed");
  }

  private String fails(int status, String run, String message) {
    String profile =
        profile(
            "fails-%s-%d".formatted(backend, run.hashCode() & 0xffff),
            1,
            """
            resources: {setup: 8Mi, memory: 128Mi}
            setup:
              - run: echo first
              - {run: %s, timeout: 2s}
            """
                .formatted(Api.JSON.valueToTree(run)));
    Api.Reply failed = api.post("/v1/sandboxes", Api.create(profile), "Prefer", "wait=120");
    assertThat(failed.status()).as(failed.text()).isEqualTo(status);
    assertThat(failed.field("/detail")).contains(message);
    String sandbox = failed.field("/sandbox_id");
    await().atMost(PATIENCE).until(() -> backend.objectsOf(sandbox).isEmpty());
    return sandbox;
  }

  @Test
  void stepsGetNoValuesOfSecrets() {
    String profile =
        profile(
            "secret-" + backend,
            1,
            """
            secret_refs: [{name: TOKEN, ref: "env:TOKEN", use: env}]
            setup: [{run: "env > /run/setup/env; ls -R /run/secrets > /run/setup/files || true"}]
            """);
    String sandbox = created(api, profile, "");
    assertThat(out(api, sandbox, "echo $TOKEN")).isEqualTo(secret);
    assertThat(out(api, sandbox, "cat /run/setup/env"))
        .contains("PYTHONUSERBASE=/run/setup")
        .doesNotContain(secret);
    assertThat(new Canary(secret).in(platform.home().resolve("setup"))).isEmpty();
  }

  @Test
  void whatIsTooMuchGoesButNotWhatIsMounted() throws IOException {
    String steps =
        """
        resources: {setup: 8Mi}
        setup: [{run: "head -c 5M /dev/zero > /run/setup/%s"}]
        """;
    String first = created(api, profile("one-" + backend, 1, steps.formatted("one")), "");
    String second = created(api, profile("two-" + backend, 1, steps.formatted("two")), "");
    assertThat(out(api, first, "stat -c %s /run/setup/one")).isEqualTo("5242880");
    assertThat(out(api, second, "stat -c %s /run/setup/two")).isEqualTo("5242880");

    api.destroyAll();
    String third = created(api, profile("three-" + backend, 1, steps.formatted("three")), "");
    assertThat(out(api, third, "stat -c %s /run/setup/three")).isEqualTo("5242880");
    assertThat(layers()).anySatisfy(layer -> assertThat(layer.resolve("files/three")).exists());
    assertThat(layers())
        .noneMatch(
            layer ->
                Files.exists(layer.resolve("files/one"))
                    || Files.exists(layer.resolve("files/two")));
  }
}
