package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.admission.Admissions;
import dev.sandboxer.platform.admission.AdmittedProcess;
import dev.sandboxer.platform.admission.AdmittedProcesses;
import dev.sandboxer.platform.admission.Workspace;
import dev.sandboxer.platform.box.Box;
import dev.sandboxer.platform.id.SandboxId;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The actions on managed processes. */
@ApplicationScoped
class Processes {

  private static final Logger LOG = Logger.getLogger(Processes.class);

  /** The client waits 30 s. */
  private static final Duration BOX_WAIT = Duration.ofSeconds(20);

  private final Sessions sessions;
  private final Admissions admissions;
  private final AdmittedProcesses admitted;
  private final BoxdProcesses processes;
  private final Attached attached;

  Processes(
      Sessions sessions,
      Admissions admissions,
      AdmittedProcesses admitted,
      BoxdProcesses processes,
      Attached attached) {
    this.sessions = sessions;
    this.admissions = admissions;
    this.admitted = admitted;
    this.processes = processes;
    this.attached = attached;
  }

  JsonObject start(ActionCall call) throws InterruptedException {
    Fields fields = call.fields();
    String session = fields.word("session_id");
    ProcessSpec spec = ProcessSpec.read(fields.object("spec"));
    var _ = admissions.inForce(call.placement().workspace(), call.admissionRequired());
    Box box = sessions.ready(call.placement(), session, BOX_WAIT);
    SandboxId sandbox = box.sandbox().id();
    admit(
        call,
        new AdmittedProcess(sandbox, spec.processId(), spec.argv(), spec.cwd(), names(spec), 0));
    try {
      ProcessState state = processes.start(sandbox, spec);
      return view(session, sandbox, spec.processId(), state);
    } catch (RuntimeException | InterruptedException e) {
      forget(sandbox, spec.processId());
      throw e;
    }
  }

  private static List<String> names(ProcessSpec spec) {
    return spec.env().keySet().stream().sorted().toList();
  }

  private void admit(ActionCall call, AdmittedProcess process) throws InterruptedException {
    Workspace workspace = call.placement().workspace();
    if (admitted.admit(workspace, call.admissionRequired(), process)) {
      return;
    }
    for (AdmittedProcess other : admitted.of(workspace)) {
      if (!processes.runs(other.sandboxId(), other.processId())) {
        admitted.ended(other.sandboxId(), other.processId());
      }
    }
    if (!admitted.admit(workspace, call.admissionRequired(), process)) {
      throw new BoxError(
          BoxError.Kind.ADMISSION,
          "the grant permits no further managed process; stop one of those that run");
    }
  }

  /** What was not started does not count. */
  private void forget(SandboxId sandbox, String processId) throws InterruptedException {
    try {
      if (!processes.runs(sandbox, processId)) {
        admitted.ended(sandbox, processId);
      }
    } catch (RuntimeException e) {
      LOG.infof("process counts on, whether it runs is not known sandbox=%s: %s", sandbox, e);
    }
  }

  JsonObject get(ActionCall call) throws InterruptedException {
    String session = call.fields().word("session_id");
    String processId = ProcessSpec.idOf(call.fields());
    SandboxId sandbox = sessions.living(call.placement(), session).sandbox().id();
    ProcessState state =
        processes
            .find(sandbox, processId)
            .orElseThrow(() -> BoxError.noProcess(session, processId));
    return view(session, sandbox, processId, state);
  }

  JsonObject stop(ActionCall call) throws InterruptedException {
    String session = call.fields().word("session_id");
    String processId = ProcessSpec.idOf(call.fields());
    SandboxId sandbox = sessions.living(call.placement(), session).sandbox().id();
    boolean stopped = processes.stop(sandbox, processId);
    admitted.ended(sandbox, processId);
    if (!stopped) {
      throw BoxError.noProcess(session, processId);
    }
    return new JsonObject().put("stopped", processId);
  }

  /** The processes of a session that were started through this door, by their ids. */
  JsonObject of(Placement placement, Box box) throws InterruptedException {
    SandboxId sandbox = box.sandbox().id();
    Map<String, ProcessState> there = processes.all(sandbox);
    JsonObject all = new JsonObject();
    for (AdmittedProcess one : admitted.of(placement.workspace())) {
      ProcessState state = there.get(ProcessNames.of(one.processId()));
      if (state != null && one.sandboxId().equals(sandbox)) {
        all.put(one.processId(), view(placement.sessionOf(box), sandbox, one.processId(), state));
      }
    }
    return all;
  }

  private JsonObject view(String session, SandboxId sandbox, String processId, ProcessState state)
      throws InterruptedException {
    Optional<AdmittedProcess> known = admitted.find(sandbox, processId);
    List<String> command = known.map(AdmittedProcess::command).orElse(state.command());
    return new JsonObject()
        .put("session_id", session)
        .put("process_id", processId)
        .put("status", state.running() ? "running" : "exited")
        .put("command", command.isEmpty() ? "" : command.getFirst())
        .put("args", new JsonArray(command.stream().skip(1).toList()))
        .put("cwd", known.map(AdmittedProcess::cwd).orElse(state.cwd()))
        .put("env_keys", new JsonArray(known.map(AdmittedProcess::envNames).orElse(List.of())))
        .put("attached", attached.has(sandbox, processId))
        .put("started_at", state.startedAt().toString())
        .put("exited_at", text(state.endedAt()))
        .put("exit_code", state.exitCode())
        .put("stderr_preview", processes.stderr(sandbox, processId, state));
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
