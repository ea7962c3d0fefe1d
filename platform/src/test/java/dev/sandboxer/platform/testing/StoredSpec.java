package dev.sandboxer.platform.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxSpec;
import jakarta.enterprise.context.ApplicationScoped;
import java.math.BigDecimal;
import java.time.Duration;

/** A spec as rows have it, for tests that write rows themselves. */
@ApplicationScoped
public class StoredSpec {

  private static final SandboxSpec SPEC =
      SandboxSpec.builder(
              "profile.stored",
              1,
              IsolationLevel.PROCESS,
              new Resources(BigDecimal.ONE, 1, 1, 1, 1, 1),
              Duration.ofHours(1))
          .build();

  private final ObjectMapper json;

  StoredSpec(ObjectMapper json) {
    this.json = json;
  }

  /**
   * For column {@code spec}.
   *
   * @return JSON
   */
  public String text() {
    try {
      return json.writeValueAsString(SPEC);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
