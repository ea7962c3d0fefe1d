package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.client.Door;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What waits to be written to the audit when the platform is ended. */
class AuditTest {

  @Test
  void aCleanStopLosesNothing() throws InterruptedException {
    int many = 300;
    try (Database database = Database.start();
        Platform platform = Platform.start(database.settings())) {
      Door door = new Door(platform.api());
      for (int i = 0; i < many; i++) {
        assertThat(door.send("get", "stop-test").status()).isEqualTo(404);
      }
      platform.process().destroy();
      platform.process().waitFor();
      assertThat(database.sql("select count(*) from audit where scope_id = 'stop-test'"))
          .isEqualTo(Integer.toString(many));
      platform.restart(Map.copyOf(database.settings()));
    }
  }
}
