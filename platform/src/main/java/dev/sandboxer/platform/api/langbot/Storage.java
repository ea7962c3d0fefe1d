package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.box.Box;
import dev.sandboxer.platform.dataplane.SandboxCalls;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** {@code box_get_storage_analysis}: what each session's workspace holds, as its boxd says. */
@ApplicationScoped
class Storage {

  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final int MOST_BYTES = 64 * 1024;

  private final Sessions sessions;
  private final SandboxCalls calls;
  private final SessionCounts counts;

  Storage(Sessions sessions, SandboxCalls calls, SessionCounts counts) {
    this.sessions = sessions;
    this.calls = calls;
    this.counts = counts;
  }

  JsonObject analysis(ActionCall call) throws InterruptedException {
    List<Box> boxes = sessions.all(call.placement());
    JsonArray each = new JsonArray();
    long bytes = 0;
    int unknown = 0;
    for (Box box : boxes) {
      Optional<JsonObject> metrics = metrics(box);
      long used = metrics.map(m -> number(m, "disk_used_bytes")).orElse(0L);
      bytes += used;
      unknown += metrics.isPresent() ? 0 : 1;
      each.add(
          new JsonObject()
              .put("session_id", call.placement().sessionOf(box))
              .put("size_bytes", used)
              .put("limit_bytes", metrics.map(m -> number(m, "disk_limit_bytes")).orElse(0L))
              .put("known", metrics.isPresent()));
    }
    return new JsonObject()
        .put("size_bytes", bytes)
        .put("directories", directories(boxes.size() - unknown, bytes, unknown))
        .put("sessions", each)
        .put("active_sessions", boxes.size())
        .put("managed_processes", counts.of(boxes).values().stream().mapToInt(i -> i).sum());
  }

  /** In the form that the client adds up. */
  private static JsonArray directories(int known, long bytes, int unknown) {
    if (known + unknown == 0) {
      return new JsonArray();
    }
    return new JsonArray()
        .add(
            new JsonObject()
                .put("key", "session_workspaces")
                .put("path", "/workspace (%d sandbox sessions)".formatted(known))
                .put("kind", "root")
                .put("exists", known > 0)
                .put("size_bytes", bytes)
                .put("file_count", 0)
                .put("error_count", unknown)
                .put("scope", "sandbox_sessions"));
  }

  private Optional<JsonObject> metrics(Box box) throws InterruptedException {
    if (!box.sandbox().state().reachable()) {
      return Optional.empty();
    }
    try {
      return calls
          .ask(box.sandbox().id(), Capability.PROCESS, "/v1/metrics", LIMIT, MOST_BYTES)
          .json();
    } catch (ProblemException e) {
      return Optional.empty();
    }
  }

  private static long number(JsonObject metrics, String name) {
    return metrics.getValue(name) instanceof Number number ? Math.max(number.longValue(), 0) : 0;
  }
}
