package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Volumes whose platform was killed while they were made, mounted or removed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ParameterizedClass(name = "on {0}")
@MethodSource("nsjail")
class VolumeFaultsTest extends Crashes {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** What is cut off is the same for all. */
  static List<Backend> nsjail() {
    return List.of(new NsjailBackend());
  }

  private Api.Reply make(String name) {
    return platform
        .api()
        .post(
            "/v1/volumes",
            """
            {"name": "%s", "size": "16Mi", "extension": "%s"}"""
                .formatted(name, backend.extension()));
  }

  private String state(String name) {
    Api.Reply reply = platform.api().get("/v1/volumes/" + name);
    return reply.status() == 404 ? "none" : reply.field("/state");
  }

  private void awaitState(String name, String state) {
    await(name).atMost(PATIENCE).until(() -> state(name).equals(state));
  }

  /** The disks that lie on this machine, by their ids. */
  private Set<String> disks() {
    Path folder = platform.home().resolve("state/nsjail/volumes");
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(disk -> disk.getFileName().toString())
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Runnable cutOff(Runnable call) {
    return () -> {
      call.run();
      throw new AssertionError("it was not cut off");
    };
  }

  @Test
  void aVolumeIsMadeOnceAndRemovedOnceWhereverItsPlatformWasKilled() {
    assertThat(make("first").status()).isEqualTo(201);
    assertThat(make("second").status()).isEqualTo(201);
    cut(
        List.of(
            new Cut("volume.removed", cutOff(() -> remove("first"))),
            new Cut("volume.remove_recorded", cutOff(() -> remove("second"))),
            new Cut("volume.made", cutOff(() -> make("third"))),
            new Cut("volume.recorded", cutOff(() -> make("fourth")))));
    awaitState("first", "none");
    awaitState("second", "none");
    awaitState("third", "ready");
    awaitState("fourth", "ready");
    assertThat(platform.api().get("/v1/volumes").json().path("items")).hasSize(2);
    assertThat(disks()).hasSize(2);
    remove("third");
    remove("fourth");
    assertThat(disks()).isEmpty();
  }

  private void remove(String name) {
    var _ = platform.api().delete("/v1/volumes/" + name);
  }

  @Test
  void aCreateThatWasCutOffHoldsItsVolumeNoLongerThanItsSandboxLives() throws IOException {
    String profile = "cut";
    platform.profile(
        profile,
        "id: profile.cut\nversion: 1\nextends: %s@2\ncaller_mounts: {modes: [volume]}\n"
            .formatted(backend.profile()));
    List<String> steps =
        List.of("create.configured", "create.provisioned", "create.attempted", "create.recorded");
    steps.forEach(step -> assertThat(make(volume(step)).status()).isEqualTo(201));
    cut(steps.stream().map(step -> new Cut(step, cutOff(() -> create(volume(step))))).toList());

    for (String step : steps) {
      String volume = volume(step);
      String sandbox = holder(volume);
      await(step)
          .atMost(PATIENCE)
          .until(
              () ->
                  Set.of("ready", "active", "failed")
                      .contains(platform.api().get("/v1/sandboxes/" + sandbox).field("/state")));
      assertThat(platform.api().get("/v1/sandboxes/" + sandbox).field("/state"))
          .as(step)
          .isEqualTo("ready");
      out(sandbox, "echo " + step + " > /data/step");
      assertThat(create(volume).code()).isEqualTo("VOLUME_IN_USE");
      assertThat(platform.api().delete("/v1/sandboxes/" + sandbox).status()).isIn(200, 202);
      Api.Reply next = create(volume);
      assertThat(next.status()).as(next.text()).isEqualTo(201);
      assertThat(out(next.field("/id"), "cat /data/step")).isEqualTo(step + "\n");
      destroy(platform.api(), List.of(next.field("/id")));
      assertThat(platform.api().delete("/v1/volumes/" + volume).status()).isEqualTo(204);
    }
    assertThat(disks()).isEmpty();
    oneObjectForEachLiveRecord(platform.api());
  }

  private static String volume(String step) {
    return step.replace('.', '-');
  }

  private String holder(String volume) {
    JsonNode holders = platform.api().get("/v1/volumes/" + volume).json().path("sandboxes");
    assertThat(holders).as(volume).hasSize(1);
    return holders.path(0).path("sandbox_id").asText();
  }

  private String out(String sandbox, String line) {
    return platform.api().access(sandbox).exec("sh", "-c", line).field("/stdout");
  }

  private Api.Reply create(String volume) {
    return platform
        .api()
        .post(
            "/v1/sandboxes",
            """
            {"profile": "cut", "consumer": {"actor": "atm", "project": "e2e"},
             "mounts": [{"volume": "%s", "mount_path": "/data", "mode": "rw"}]}"""
                .formatted(volume),
            "Prefer",
            "wait=60");
  }
}
