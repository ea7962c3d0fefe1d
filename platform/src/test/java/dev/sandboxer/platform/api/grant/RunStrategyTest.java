package dev.sandboxer.platform.api.grant;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The grant door, with a strategy by which each run has a sandbox of its own. */
@QuarkusTest
@TestProfile(RunStrategyTest.Profile.class)
class RunStrategyTest {

  @Test
  void eachRunHasASandboxOfItsOwnAndTheEndOfItsThreadEndsIt() {
    Door door = new Door(InProcess.api());
    Api.Reply unnamed = door.acquire("th-1", "");
    assertThat(unnamed.status()).isEqualTo(400);
    assertThat(unnamed.field("/detail")).contains("run_id");
    JsonNode one = Door.ok(door.acquire("th-1", run("r-1")));
    JsonNode two = Door.ok(door.acquire("th-1", run("r-2")));
    assertThat(two.path("sandbox_id")).isNotEqualTo(one.path("sandbox_id"));
    assertThat(door.scope(two)).isEqualTo("run r-2");
    JsonNode again = Door.ok(door.acquire("th-1", run("r-1")));
    assertThat(again.path("session_id")).isEqualTo(one.path("session_id"));
    assertThat(door.ended("run/r-1")).isEqualTo(1);
    assertThat(door.ended("thread/th-1")).as("the other run").isEqualTo(1);
  }

  private static String run(String id) {
    return ", \"run_id\": \"" + id + "\"";
  }

  /** By which each run has a sandbox of its own. */
  public static final class Profile extends InProcess {

    @Override
    public Map<String, String> getConfigOverrides() {
      return settings(Map.of("SANDBOXER_SCOPE_STRATEGY", "run"));
    }
  }
}
