package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Sweeps go on after the platform was killed: what has no record goes, and nothing else. */
@OnEveryBackend
class CrashInSweepTest extends CrashesInSweep {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final List<String> STEPS =
      List.of("sweep.claimed", "sweep.noted", "sweep.confirmed", "sweep.torn_down", "sweep.done");

  @Test
  void sweepsThatWereCutGoOn() {
    String lives = ready();
    Set<String> objects = backend.objectsOf(lives);
    String lost = ready();
    assertThat(backend.objectsOf(lost)).hasSize(1);
    cutInTurn(STEPS, () -> forget(lost));

    Api after = platform.api();
    await(lost)
        .atMost(PATIENCE)
        .until(
            () ->
                backend.objectsOf(lost).isEmpty() && backend.processesOf(lost).findAny().isEmpty());
    assertThat(backend.objectsOf(lives)).isEqualTo(objects);
    assertThat(after.access(lives).exec("echo", "alive").field("/stdout")).isEqualTo("alive\n");
    oneObjectForEachLiveRecord(after);
  }

  private String ready() {
    return platform.api().ready(backend.profile()).path("id").asText();
  }

  /** The database has nothing of it any more. */
  private void forget(String id) {
    var _ =
        database.sql(
            """
            delete from activity where sandbox_id = '%1$s';
            delete from event where sandbox_id = '%1$s';
            delete from attempt where sandbox_id = '%1$s';
            delete from sandbox where id = '%1$s'
            """
                .formatted(id.substring("sb_".length())));
  }
}
