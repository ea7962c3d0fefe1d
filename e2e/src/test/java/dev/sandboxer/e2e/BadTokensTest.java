package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.BadTokens;
import dev.sandboxer.testing.client.Door;
import dev.sandboxer.testing.client.TokenForge;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Bad tokens at a real sandbox, and at boxd alone. */
class BadTokensTest {

  /** boxd takes the second form of a signature and every scope that its platform signs. */
  @Test
  void boxdItselfRefusesThemAsWell() {
    try (BareBoxd boxd = BareBoxd.start()) {
      Api.Dataplane inside = boxd.dataplane();
      TokenForge forge = boxd.forge();
      Map<String, String> bad = forge.bad();
      bad.keySet().removeAll(Set.of("s turned over", "admin", "unknown capability"));
      BadTokens.check(inside.api(), inside.url() + "/metrics", forge, bad);
    }
  }

  /** Each run has a sandbox of its own here, and what it could capture is worth nothing else. */
  @Test
  void aTokenIsWorthNothingElsewhere() {
    try (Platform platform = Platform.start(Map.of("SANDBOXER_SCOPE_STRATEGY", "run"))) {
      Door door = new Door(platform.api());
      JsonNode one = Door.ok(door.acquire("th-1", ", \"run_id\": \"r-1\""));
      JsonNode two = Door.ok(door.acquire("th-1", ", \"run_id\": \"r-2\""));
      String token = one.path("token").asText();
      assertThat(door.inside(two, token).get("/health").status())
          .as("another sandbox")
          .isEqualTo(401);
      assertThat(new Door(platform.api().withKey(token)).statusOfEnsure()).isEqualTo(401);
      assertThat(
              door.inside(one)
                  .exec("sh", "-c", "env; cat /proc/*/environ 2>/dev/null; true")
                  .text())
          .as("boxd shows no credential")
          .contains("PATH=")
          .doesNotContain(token)
          .doesNotContain("eyJ");
    }
  }
}
