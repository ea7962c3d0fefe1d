package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts that cannot succeed, and backends that cannot be used: one clear line each. */
class StartTest {

  @Test
  void aSecondStartIsRefusedOnTheSameHomeAndOnTheSamePort() {
    try (Platform first = Platform.start(Map.of())) {
      Platform.Ended sameHome = first.startAgain(Map.of());
      assertThat(sameHome.exit()).isEqualTo(1);
      assertThat(sameHome.log())
          .contains(first.home().toString())
          .contains(Long.toString(first.process().pid()));
      String port = Integer.toString(first.url().getPort());
      Platform.Ended samePort = Platform.refused(Map.of("SANDBOXER_LISTEN", "127.0.0.1:" + port));
      assertThat(samePort.exit()).isEqualTo(1);
      assertThat(samePort.log()).contains(port).contains("SANDBOXER_LISTEN");
      assertThat(first.api().readyStatus()).isEqualTo(200);
    }
  }

  @Test
  void listeningWiderThanLoopbackWithoutTlsIsRefused() {
    Platform.Ended open = Platform.refused(Map.of("SANDBOXER_LISTEN", "0.0.0.0:8421"));
    assertThat(open.exit()).isEqualTo(1);
    assertThat(open.log()).contains("SANDBOXER_BEHIND_TLS_PROXY");
  }

  @Test
  void aGrantThatNamesNoSecretIsRefused() {
    Platform.Ended wrong = Platform.refused(Map.of("SANDBOXER_GRANTED_SECRETS", "API_TOKEN"));
    assertThat(wrong.exit()).isEqualTo(1);
    assertThat(wrong.log()).contains("SANDBOXER_GRANTED_SECRETS has 'API_TOKEN'", "env:API_TOKEN");
  }

  @Test
  void withoutNsjailACreateSaysWhatIsMissing(@TempDir Path empty) {
    Map<String, String> hidden =
        Map.of(
            "SANDBOXER_NSJAIL",
            empty.resolve("nsjail").toString(),
            "PATH",
            empty.toString() + ":/usr/bin:/bin");
    try (Platform platform = Platform.start(hidden)) {
      Api.Reply reply =
          platform.api().post("/v1/sandboxes", Api.create("local"), "Prefer", "wait=30");
      assertThat(reply.status()).as(reply.text()).isEqualTo(503);
      assertThat(reply.code()).isEqualTo("UNAVAILABLE");
      assertThat(reply.field("/detail")).contains("nsjail");
      String id = reply.field("/sandbox_id");
      assertThat(platform.api().get("/v1/sandboxes/" + id).field("/cleanup")).isEqualTo("done");
      assertThat(platform.sandboxFolders()).isEmpty();
    }
  }

  @Test
  void aJailThatTheKernelRefusesIsAClearFailureThatLeavesNothing(@TempDir Path tools)
      throws IOException {
    Path refused = Files.writeString(tools.resolve("nsjail"), "#!/bin/sh\nexit 255\n");
    assertThat(refused.toFile().setExecutable(true)).isTrue();
    assertThat(tools.toFile().setExecutable(true, false)).isTrue();
    assertThat(tools.toFile().setReadable(true, false)).isTrue();
    try (Platform platform = Platform.start(Map.of("SANDBOXER_NSJAIL", refused.toString()))) {
      Api.Reply reply =
          platform.api().post("/v1/sandboxes", Api.create("local"), "Prefer", "wait=60");
      assertThat(reply.status()).as(reply.text()).isBetween(500, 504);
      String id = reply.field("/sandbox_id");
      Api api = platform.api();
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> api.get("/v1/sandboxes/" + id).field("/cleanup").equals("done"));
      assertThat(api.get("/v1/sandboxes/" + id).field("/state")).isEqualTo("failed");
      assertThat(Host.jailsOf(id)).isEmpty();
    }
  }

  @Test
  void anExtensionThatDoesNotLoadIsListedWithItsReason() throws IOException {
    try (Platform platform = Platform.start(Map.of())) {
      Path folder = Files.createDirectories(platform.home().resolve("extensions/broken"));
      Files.writeString(folder.resolve("broken.jar"), "no jar at all");
      platform.kill();
      platform.restart(Map.of());
      Api.Reply list = platform.api().get("/v1/extensions");
      assertThat(list.status()).as(list.text()).isEqualTo(200);
      var broken =
          java.util.stream.StreamSupport.stream(list.json().path("items").spliterator(), false)
              .filter(item -> item.path("state").asText().equals("failed"))
              .findFirst()
              .orElseThrow();
      assertThat(broken.path("reason").asText()).isNotBlank();
      assertThat(platform.api().get("/v1/health/ready").text()).contains("broken");
      assertThat(platform.api().ready().path("state").asText()).isEqualTo("ready");
    }
  }
}
