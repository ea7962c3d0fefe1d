package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A volume that no record knows goes, also if the platform was killed at that; others stay. */
@OnEveryBackend
class CrashInVolumeSweepTest extends CrashesInSweep {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** One look is a sweep as well: the platform's own come between them. */
  private static final Duration BETWEEN = Duration.ofSeconds(3);

  @Test
  void whatNoRecordKnowsIsRemovedAndNothingElse() {
    String kept = volume("kept-" + backend);
    String lost = volume("lost-" + backend);
    platform.arm("sweep.volume");
    var _ = database.sql("delete from volume where name = '%s'".formatted(lost));
    platform.awaitFailpoint("sweep.volume");
    platform.kill();
    platform.arm("nowhere"); // else it would stop there again
    platform.restart(settings());
    await(lost).atMost(PATIENCE).pollInterval(BETWEEN).until(() -> suspects() == 0);
    Api api = platform.api();
    assertThat(api.get("/v1/volumes/" + kept).json().path("used_bytes").isNumber()).isTrue();
    assertThat(api.delete("/v1/volumes/" + kept).status()).isEqualTo(204);
  }

  private String volume(String name) {
    Api.Reply made =
        platform
            .api()
            .post(
                "/v1/volumes",
                """
                {"name": "%s", "size": "16Mi", "extension": "%s"}\
                """
                    .formatted(name, backend.extension()));
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return name;
  }

  /** As a sweep of now sees them, which changes nothing. */
  private int suspects() {
    Api api = platform.api();
    String id = api.post("/v1/sweeps", "{\"dry_run\": true}").field("/id");
    await(id)
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sweeps/" + id).field("/state").equals("done"));
    for (JsonNode place : api.get("/v1/sweeps/" + id).json().path("places")) {
      if (place.path("extension").asText().equals(backend.extension())) {
        assertThat(place.path("state").asText()).as(place.toString()).isEqualTo("judged");
        return place.at("/result/suspect_volumes").asInt();
      }
    }
    throw new AssertionError("nothing is swept of " + backend.extension());
  }
}
