package dev.sandboxer.platform.event;

import io.quarkus.test.junit.QuarkusTestProfile;
import java.util.Map;

/** A platform whose own workers do not run, so that a test alone numbers and removes events. */
public final class AtRest implements QuarkusTestProfile {

  @Override
  public Map<String, String> getConfigOverrides() {
    return Map.of("sandboxer.serving", "false");
  }
}
