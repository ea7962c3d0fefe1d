package dev.sandboxer.e2e;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;

/** A platform that sweeps all the time, on a database that a test can reach into. */
abstract class CrashesInSweep extends Crashes {

  final Database database = Database.start();

  @Override
  Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>(database.settings());
    settings.put("SANDBOXER_SWEEP_SECONDS", "1");
    settings.put("SANDBOXER_SWEEP_GRACE_SECONDS", "1");
    return settings;
  }

  @Override
  @AfterAll
  void stop() {
    super.stop();
    database.close();
  }
}
