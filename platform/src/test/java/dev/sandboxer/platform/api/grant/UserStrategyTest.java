package dev.sandboxer.platform.api.grant;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Door;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The grant door, with a strategy by which all work of a user shares a sandbox. */
@QuarkusTest
@TestProfile(UserStrategyTest.Profile.class)
class UserStrategyTest {

  @Test
  void allWorkOfAUserSharesASandbox() {
    Door door = new Door(InProcess.api());
    JsonNode one = Door.ok(door.acquire("th-1", user("usr_1")));
    JsonNode two = Door.ok(door.acquire("th-2", user("usr_1") + ", \"run_id\": \"r-1\""));
    assertThat(two.path("session_id")).isEqualTo(one.path("session_id"));
    assertThat(two.path("sandbox_id")).isEqualTo(one.path("sandbox_id"));
    assertThat(door.scope(two)).isEqualTo("user usr_1");
    JsonNode other = Door.ok(door.acquire("th-1", user("usr_2")));
    assertThat(other.path("sandbox_id")).isNotEqualTo(one.path("sandbox_id"));
    assertThat(door.scope(other)).isEqualTo("user usr_2");
    assertThat(door.ended("thread/th-1")).as("the others go on").isZero();
    assertThat(door.ended("user/usr_1")).isEqualTo(1);
  }

  private static String user(String id) {
    return ", \"user_id\": \"" + id + "\"";
  }

  /** By which all work of a user shares a sandbox. */
  public static final class Profile extends InProcess {

    @Override
    public Map<String, String> getConfigOverrides() {
      return settings(Map.of("SANDBOXER_SCOPE_STRATEGY", "user"));
    }
  }
}
