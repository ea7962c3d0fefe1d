package dev.sandboxer.platform.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.spi.sink.EventMessage;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SummariesTest {

  private static final String TENANT = "ten_k3v9a0q7x2m5n8b1c4d6";

  private static String line(Map<String, Object> consumer, Map<String, Object> detail) {
    return Summaries.of(
        new EventMessage(
            "evt_d1f4k3v9a0q7x2m5n8b6",
            TENANT,
            7,
            40,
            "quota.refused",
            Instant.EPOCH,
            TENANT,
            consumer,
            null,
            detail,
            "{}"));
  }

  @Test
  void aRefusalSaysWhoWasRefusedWhatAndWhy() {
    Map<String, Object> consumer = Map.of("actor", "agt", "project", "demo");
    assertThat(
            line(
                consumer,
                Map.of("profile_id", "profile.local", "error", "it holds 3 of 3", "repeats", 0)))
        .isEqualTo("A quota of " + TENANT + " refused demo (profile.local): it holds 3 of 3");
    assertThat(line(consumer, Map.of("error", "it holds 3 of 3", "repeats", 199)))
        .isEqualTo(
            "A quota of " + TENANT + " refused demo: it holds 3 of 3; so were 199 before it");
  }

  @Test
  void aRefusalOfNobodyInParticularIsALineToo() {
    assertThat(line(Map.of(), Map.of("error", "it has 20 webhooks")))
        .isEqualTo("A quota of " + TENANT + " refused a request: it has 20 webhooks");
  }
}
