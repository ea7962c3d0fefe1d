package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.dataplane.Answer;
import dev.sandboxer.platform.dataplane.SandboxCalls;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The managed processes of a sandbox, by the client's ids. */
@ApplicationScoped
class BoxdProcesses {

  /** A process that is replaced or ended has 5 s to end by itself. */
  private static final Duration LIMIT = Duration.ofSeconds(25);

  private static final int MOST_BYTES = 4 * 1024 * 1024;
  private static final int PREVIEW = 4096;
  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int NOT_FOUND = 404;

  private final SandboxCalls calls;

  BoxdProcesses(SandboxCalls calls) {
    this.calls = calls;
  }

  /** Starts one, in place of one of the same id. */
  ProcessState start(SandboxId sandbox, ProcessSpec spec) throws InterruptedException {
    JsonObject body =
        new JsonObject()
            .put("process_id", ProcessNames.of(spec.processId()))
            .put("command", new JsonArray(spec.argv()))
            .put("cwd", spec.cwd())
            .put("env", new JsonObject(Map.<String, Object>copyOf(spec.env())))
            .put("stdin", "open")
            .put("restart", "never")
            .put("replace", true);
    Answer answer =
        calls.call(
            sandbox,
            Capability.PROCESS,
            "POST",
            "/v1/processes",
            body.toBuffer(),
            LIMIT,
            MOST_BYTES);
    if (answer.status() != CREATED) {
      throw answer.refusal(sandbox);
    }
    return state(sandbox, answer);
  }

  /** Finds one; empty if there is none of this id, or it ended too long ago. */
  Optional<ProcessState> find(SandboxId sandbox, String processId) throws InterruptedException {
    Answer answer = ask(sandbox, path(processId));
    if (answer.status() == NOT_FOUND) {
      return Optional.empty();
    }
    if (answer.status() != OK) {
      throw answer.refusal(sandbox);
    }
    return Optional.of(state(sandbox, answer));
  }

  /** As {@link #find}, also where the sandbox has ended. */
  boolean runs(SandboxId sandbox, String processId) throws InterruptedException {
    try {
      return find(sandbox, processId).map(ProcessState::running).orElse(false);
    } catch (ProblemException e) {
      return e.problem().code() != ErrorCode.INVALID_STATE;
    }
  }

  /** Ends one with all that it started, and forgets it; false if there is none. */
  boolean stop(SandboxId sandbox, String processId) throws InterruptedException {
    if (delete(sandbox, processId).status() == NOT_FOUND) {
      return false;
    }
    // The first only ended it where it still ran.
    var _ = delete(sandbox, processId);
    return true;
  }

  private Answer delete(SandboxId sandbox, String processId) throws InterruptedException {
    Answer answer =
        calls.call(sandbox, Capability.PROCESS, "DELETE", path(processId), null, LIMIT, MOST_BYTES);
    if (answer.status() != OK && answer.status() != NOT_FOUND) {
      throw answer.refusal(sandbox);
    }
    return answer;
  }

  /** How many run in a sandbox. */
  int running(SandboxId sandbox) throws InterruptedException {
    return (int) all(sandbox).values().stream().filter(ProcessState::running).count();
  }

  /** Those that run and those that ended lately, by boxd's ids. */
  Map<String, ProcessState> all(SandboxId sandbox) throws InterruptedException {
    Answer answer = ask(sandbox, "/v1/processes");
    Map<String, ProcessState> all = new HashMap<>();
    if (answer.json().map(reply -> reply.getValue("items")).orElse(null)
        instanceof JsonArray items) {
      for (Object one : items) {
        if (one instanceof JsonObject item && item.getValue("process_id") instanceof String id) {
          all.put(id, ProcessState.read(item));
        }
      }
    }
    return all;
  }

  /** The end of what it wrote to standard error. */
  String stderr(SandboxId sandbox, String processId, ProcessState state)
      throws InterruptedException {
    if (state.stderrNext() == 0) {
      return "";
    }
    long from = Math.max(state.stderrFirst(), state.stderrNext() - PREVIEW);
    Answer answer = ask(sandbox, path(processId) + "/output?stream=stderr&offset=" + from);
    return answer.status() == OK ? answer.body().toString(StandardCharsets.UTF_8) : "";
  }

  private Answer ask(SandboxId sandbox, String path) throws InterruptedException {
    return calls.ask(sandbox, Capability.PROCESS, path, LIMIT, MOST_BYTES);
  }

  static String path(String processId) {
    return "/v1/processes/" + ProcessNames.of(processId);
  }

  private static ProcessState state(SandboxId sandbox, Answer answer) {
    return ProcessState.read(answer.json().orElseThrow(() -> answer.refusal(sandbox)));
  }
}
