package dev.sandboxer.platform.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.event.EventType;
import dev.sandboxer.spi.sink.EventMessage;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SummariesTest {

  private static final String TENANT = "ten_k3v9a0q7x2m5n8b1c4d6";

  private static String line(Map<String, Object> consumer, Map<String, Object> detail) {
    return line("quota.refused", TENANT, consumer, detail);
  }

  private static String line(
      String type, String subject, Map<String, Object> consumer, Map<String, Object> detail) {
    return Summaries.of(
        new EventMessage(
            "evt_d1f4k3v9a0q7x2m5n8b6",
            subject,
            7,
            40,
            type,
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

  @ParameterizedTest
  @EnumSource(EventType.class)
  void everyTypeHasALineOfItsOwn(EventType type) {
    String line = line(type.text(), "sb_k3v9a0q7x2m5n8b1c4d6", Map.of(), Map.of());
    assertThat(line).contains("sb_k3v9a0q7x2m5n8b1c4d6").doesNotStartWith(type.text());
  }

  @Test
  void aSessionsEndSaysWhoseAndWhy() {
    Map<String, Object> detail =
        Map.of("session_id", "ses_1", "profile_id", "profile.local", "end_reason", "ttl");
    assertThat(line("session.ended", "sb_1", Map.of(), detail))
        .isEqualTo("Session ses_1 of sandbox sb_1 (profile.local) has ended: ttl");
    assertThat(line("session.started", "sb_1", Map.of(), detail))
        .isEqualTo("Session ses_1 has begun to use sandbox sb_1 (profile.local)");
  }

  @Test
  void whereItIsMadeAndWhatCannotBeReached() {
    Map<String, Object> detail =
        Map.of("profile_id", "profile.local", "extension_id", "ext.docker", "host", "engine-2");
    assertThat(line("sandbox.provisioning", "sb_1", Map.of(), detail))
        .isEqualTo("Sandbox sb_1 (profile.local) is being made on ext.docker, host engine-2");
    assertThat(line("sandbox.unreachable", "sb_1", Map.of(), detail))
        .isEqualTo(
            "Sandbox sb_1 (profile.local) cannot be reached: its host engine-2 does not answer");
  }

  @Test
  void anImageIsAwaitedAndThenThere() {
    Map<String, Object> pull = Map.of("image", "debian:13", "profile_id", "profile.docker");
    assertThat(line("sandbox.image_pull", "sb_1", Map.of(), pull))
        .isEqualTo("Sandbox sb_1 (profile.docker) waits for its image debian:13");
    Map<String, Object> done = new HashMap<>(pull);
    done.put("status", "done");
    assertThat(line("sandbox.image_pull", "sb_1", Map.of(), done))
        .isEqualTo("Sandbox sb_1 (profile.docker): its image debian:13 is there");
  }

  @Test
  void aRefusalOfNobodyInParticularIsALineToo() {
    assertThat(line(Map.of(), Map.of("error", "it has 20 webhooks")))
        .isEqualTo("A quota of " + TENANT + " refused a request: it has 20 webhooks");
  }
}
