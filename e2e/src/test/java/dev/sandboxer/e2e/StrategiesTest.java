package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the grant door binds a sandbox to where an operator chose neither thread nor assistant. */
class StrategiesTest {

  @Test
  void allWorkOfAUserSharesASandbox() {
    try (Platform platform = platform("user")) {
      Door door = new Door(platform.api());
      JsonNode one = Door.ok(door.acquire("th-1", user("usr_1")));
      JsonNode two = Door.ok(door.acquire("th-2", user("usr_1") + ", \"run_id\": \"r-1\""));
      assertThat(two.path("session_id")).isEqualTo(one.path("session_id"));
      assertThat(two.path("sandbox_id")).isEqualTo(one.path("sandbox_id"));
      assertThat(scope(door, two)).isEqualTo("user usr_1");
      JsonNode other = Door.ok(door.acquire("th-1", user("usr_2")));
      assertThat(other.path("sandbox_id")).isNotEqualTo(one.path("sandbox_id"));
      assertThat(scope(door, other)).isEqualTo("user usr_2");
      assertThat(ended(door, "thread/th-1")).as("the others go on").isZero();
      assertThat(ended(door, "user/usr_1")).isEqualTo(1);
    }
  }

  @Test
  void eachRunHasASandboxOfItsOwnAndTheEndOfItsThreadEndsIt() {
    try (Platform platform = platform("run")) {
      Door door = new Door(platform.api());
      Api.Reply unnamed = door.acquire("th-1", "");
      assertThat(unnamed.status()).isEqualTo(400);
      assertThat(unnamed.field("/detail")).contains("run_id");
      JsonNode one = Door.ok(door.acquire("th-1", ", \"run_id\": \"r-1\""));
      JsonNode two = Door.ok(door.acquire("th-1", ", \"run_id\": \"r-2\""));
      assertThat(two.path("sandbox_id")).isNotEqualTo(one.path("sandbox_id"));
      assertThat(scope(door, two)).isEqualTo("run r-2");
      JsonNode again = Door.ok(door.acquire("th-1", ", \"run_id\": \"r-1\""));
      assertThat(again.path("session_id")).isEqualTo(one.path("session_id"));
      assertThat(ended(door, "run/r-1")).isEqualTo(1);
      assertThat(ended(door, "thread/th-1")).as("the other run").isEqualTo(1);
    }
  }

  private static Platform platform(String strategy) {
    return Platform.start(Map.of("SANDBOXER_SCOPE_STRATEGY", strategy));
  }

  private static String user(String id) {
    return ", \"user_id\": \"" + id + "\"";
  }

  private static String scope(Door door, JsonNode grant) {
    JsonNode scope = door.look(grant.path("session_id").asText()).json().at("/binding/scope");
    return scope.path("type").asText() + " " + scope.path("id").asText();
  }

  private static int ended(Door door, String scope) {
    return Door.ok(door.api().post("/v1/sandbox/scopes/" + scope + "/end", "{}"))
        .path("ended_sessions")
        .asInt();
  }
}
