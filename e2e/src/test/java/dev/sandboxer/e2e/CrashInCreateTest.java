package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.faulty.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Creates go on after the platform was killed, and what is ready outlives it. */
@OnEveryBackend
class CrashInCreateTest extends Crashes {

  /** The last one first. */
  private static final List<String> STEPS =
      List.of(
          "create.ready",
          "create.configured",
          "create.reachable",
          "create.handle_stored",
          "create.provisioned",
          "create.attempted",
          "create.recorded");

  @Test
  void createsThatWereCutGoOnAndAReadySandboxOutlivesTheKill() {
    Ready outliving = ready();
    cut(STEPS.stream().map(step -> new Cut(step, () -> create(platform.api(), step))).toList());

    Api after = platform.api();
    outliving.isStillThere(after);
    List<String> ids = STEPS.stream().map(step -> goesOn(after, step)).toList();
    oneObjectForEachLiveRecord(after);
    destroy(after, ids);
    for (String id : ids) {
      tellsItOnce(after, id, "requested", "provisioning", "ready", "destroying", "destroyed");
    }
    oneObjectForEachLiveRecord(after);
  }

  private String goesOn(Api api, String step) {
    Api.Reply again = create(api, step, "Prefer", "wait=60");
    assertThat(again.status()).as(step + again.text()).isEqualTo(201);
    assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
    String id = again.field("/id");
    assertThat(api.access(id).exec("echo", "alive").field("/stdout")).as(step).isEqualTo("alive\n");
    return id;
  }

  private Api.Reply create(Api api, String step, String... headers) {
    return createOf(api, backend.profile(), step, headers);
  }

  private Api.Reply createOf(Api api, String profile, String step, String... headers) {
    List<String> all = new ArrayList<>(List.of("Idempotency-Key", step + backend));
    all.addAll(List.of(headers));
    return api.post("/v1/sandboxes", Api.create(profile), all.toArray(String[]::new));
  }

  private static final FaultyPlatform FAULTY = new FaultyPlatform("faulty");

  @Override
  Platform platform() {
    return FAULTY.start();
  }

  /** Before and after the attempt on the next one is recorded; the later one first. */
  private static final List<String> MOVES =
      List.of("create.next_candidate", "create.candidate_failed");

  @Test
  void createsThatWereCutBetweenTwoCandidatesGoOn() {
    FAULTY.routed(platform, backend.profile(), backend.extension());
    FAULTY.backend(platform, "faulty").always("provision", Fault.LOST_REQUEST);
    cut(
        MOVES.stream()
            .map(step -> new Cut(step, () -> createRouted(platform.api(), step)))
            .toList());
    FAULTY.backend(platform, "faulty").always("provision", Fault.CAPACITY);
    Api after = platform.api();
    List<String> ids = MOVES.stream().map(step -> movesOn(after, step)).toList();
    FAULTY.backend(platform, "faulty").sound();
    destroy(after, ids);
    for (String id : ids) {
      tellsItOnce(
          after,
          id,
          "requested",
          "provisioning",
          "requested",
          "provisioning",
          "ready",
          "destroying",
          "destroyed");
    }
    oneObjectForEachLiveRecord(after);
  }

  private String movesOn(Api api, String step) {
    Api.Reply again = createRouted(api, step, "Prefer", "wait=60");
    assertThat(again.status()).as(step + again.text()).isEqualTo(201);
    assertThat(again.field("/extension_id")).isEqualTo(backend.extension());
    String id = again.field("/id");
    assertThat(api.access(id).exec("echo", "alive").field("/stdout")).isEqualTo("alive\n");
    return id;
  }

  private Api.Reply createRouted(Api api, String step, String... headers) {
    return createOf(api, FAULTY.profile(backend.profile()), step, headers);
  }

  @Test
  void aReadySandboxOutlivesACleanStop() throws InterruptedException {
    Ready outliving = ready();
    platform.process().destroy();
    assertThat(platform.process().waitFor()).isIn(0, 143);
    platform.restart(Map.of());
    outliving.isStillThere(platform.api());
  }

  private Ready ready() {
    Api api = platform.api();
    String id = api.ready(backend.profile()).path("id").asText();
    assertThat(api.access(id).exec("sh", "-c", "echo kept > kept.txt").status()).isEqualTo(200);
    return new Ready(id, backend.objectsOf(id));
  }

  /** A sandbox with a file, and what the backend had made for it. */
  private class Ready {
    private final String id;
    private final Set<String> objects;

    Ready(String id, Set<String> objects) {
      this.id = id;
      this.objects = objects;
    }

    void isStillThere(Api api) {
      assertThat(api.get("/v1/sandboxes/" + id).field("/state")).isIn("ready", "active");
      assertThat(api.access(id).download("kept.txt").text()).isEqualTo("kept\n");
      assertThat(backend.objectsOf(id)).isEqualTo(objects);
    }
  }
}
