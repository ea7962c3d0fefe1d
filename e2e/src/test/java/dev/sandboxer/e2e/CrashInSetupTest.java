package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Wherever the platform dies in a setup, it runs to its end in the end, and nothing is left of it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ParameterizedClass(name = "on {0}")
@MethodSource("nsjail")
class CrashInSetupTest extends Crashes {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** What is cut off is the same for all. */
  static List<Backend> nsjail() {
    return List.of(new NsjailBackend());
  }

  @Test
  void theSandboxHasItsLayerWhereverThePlatformWasKilled() {
    platform.profile(
        "steps-" + backend,
        """
        id: profile.steps-%s
        version: 1
        extends: %s@2
        env: {STEP: none}
        setup: [{run: "mkdir /run/setup/once"}, {run: "echo whole > /run/setup/once/file"}]
        """
            .formatted(backend, backend.profile()));
    List<Cut> cuts =
        List.of(
            cut("setup.saved"),
            cut("setup.run"),
            cut("create.configured"),
            cut("create.provisioned"),
            cut("setup.begun"));
    for (Cut one : cuts) {
      cut(List.of(one));
      String id = platform.api().get("/v1/sandboxes?limit=1").field("/items/0/id");
      await(one.step())
          .atMost(PATIENCE)
          .until(() -> platform.api().get("/v1/sandboxes/" + id).field("/state").equals("ready"));
      Api.Reply read = platform.api().access(id).exec("cat", "/run/setup/once/file");
      assertThat(read.field("/stdout")).as(one.step() + ": " + read.text()).isEqualTo("whole\n");
      await(one.step())
          .atMost(PATIENCE)
          .untilAsserted(() -> oneObjectForEachLiveRecord(platform.api()));
    }
    assertThat(platform.home().resolve("setup"))
        .isDirectoryNotContaining(path -> path.getFileName().toString().startsWith("."));
  }

  /** Each with another environment, so that nobody has made its layer. */
  private Cut cut(String step) {
    return new Cut(
        step,
        () -> {
          var _ =
              platform
                  .api()
                  .post(
                      "/v1/sandboxes",
                      """
                      {"profile": "steps-%s", "consumer": {"actor": "atm", "project": "e2e"}, "env": {"STEP": "%s"}}"""
                          .formatted(backend, step));
        });
  }
}
