package dev.sandboxer.platform.event;

import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.platform.sandbox.Failure;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What an event of a sandbox says: the facts of its cause, and who, what and when beside them. */
final class EventDetail {

  private EventDetail() {}

  static Map<String, Object> of(Transition transition) {
    Sandbox sandbox = transition.sandbox();
    Map<String, Object> detail = new LinkedHashMap<>(transition.detail());
    detail.put("profile_id", sandbox.profile().id());
    detail.put("profile_version", sandbox.profile().version());
    detail.put("extension_id", sandbox.extensionId().text());
    detail.put("generation", sandbox.generation());
    putIfKnown(detail, "host", sandbox.hostId());
    if (sandbox.state().reachable()) {
      detail.putIfAbsent("reachability", sandbox.descriptors());
    }
    Failure failure = sandbox.failure();
    if (failure != null) {
      detail.putIfAbsent("error", failure.message());
    }
    String endReason = sandbox.endReason();
    if (endReason != null) {
      detail.putIfAbsent("end_reason", endReason);
    }
    if (sandbox.state() == SandboxState.DESTROYED && sandbox.endedAt() != null) {
      detail.put("duration_s", seconds(sandbox.createdAt(), sandbox.endedAt()));
    }
    detail.put("timestamps", timestamps(sandbox));
    return detail;
  }

  private static double seconds(Instant from, Instant to) {
    return Duration.between(from, to).toMillis() / 1000.0;
  }

  private static Map<String, Object> timestamps(Sandbox sandbox) {
    Map<String, Object> at = new LinkedHashMap<>();
    put(at, "created_at", sandbox.createdAt());
    put(at, "ready_at", sandbox.readyAt());
    put(at, "active_at", sandbox.activeAt());
    put(at, "expires_at", sandbox.expiresAt());
    put(at, "ended_at", sandbox.endedAt());
    put(at, "destroyed_at", sandbox.destroyedAt());
    return at;
  }

  static Map<String, Object> consumer(Consumer consumer) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("actor", consumer.actor());
    values.put("project", consumer.project());
    putIfKnown(values, "session_id", consumer.sessionId());
    putIfKnown(values, "run_id", consumer.runId());
    values.putAll(consumer.work());
    return values;
  }

  private static void put(Map<String, Object> values, String name, @Nullable Instant at) {
    putIfKnown(values, name, at == null ? null : at.toString());
  }

  private static void putIfKnown(Map<String, Object> values, String name, @Nullable String value) {
    if (value != null) {
      values.put(name, value);
    }
  }
}
