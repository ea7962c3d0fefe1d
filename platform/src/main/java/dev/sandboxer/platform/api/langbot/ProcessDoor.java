package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.admission.Admissions;
import dev.sandboxer.platform.admission.AdmittedProcess;
import dev.sandboxer.platform.admission.AdmittedProcesses;
import dev.sandboxer.platform.api.langbot.BoxError.Kind;
import dev.sandboxer.platform.box.Box;
import dev.sandboxer.platform.dataplane.SandboxSockets;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The WebSocket of a managed process. Everything that can refuse it does so before the handshake is
 * answered: the client then sees the reason in an HTTP reply.
 */
@ApplicationScoped
class ProcessDoor {

  static final String PROTOCOL = "mcp";

  private static final String WORKSPACE = "X-LangBot-Workspace-Id";
  private static final String GENERATION = "X-LangBot-Placement-Generation";
  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,17}");
  private static final int BAD_REQUEST = 400;
  private static final int UNAUTHORIZED = 401;

  private final Admissions admissions;
  private final AdmittedProcesses admitted;
  private final Sessions sessions;
  private final BoxdProcesses processes;
  private final SandboxSockets sockets;
  private final Attached attached;

  ProcessDoor(
      Admissions admissions,
      AdmittedProcesses admitted,
      Sessions sessions,
      BoxdProcesses processes,
      SandboxSockets sockets,
      Attached attached) {
    this.admissions = admissions;
    this.admitted = admitted;
    this.sessions = sessions;
    this.processes = processes;
    this.sockets = sockets;
    this.attached = attached;
  }

  /** Goes on with a request whose client knows the token; runs on its event loop, paused. */
  void serve(RoutingContext context, Client client) {
    HttpServerRequest request = context.request();
    String workspace = request.getHeader(WORKSPACE);
    String generation = request.getHeader(GENERATION);
    if (workspace == null
        || workspace.isBlank()
        || generation == null
        || !NUMBER.matcher(generation).matches()) {
      Door.refuse(context, UNAUTHORIZED, "Unauthorized");
      return;
    }
    Context loop = context.vertx().getOrCreateContext();
    String process = context.pathParam("process");
    String session = Objects.requireNonNull(context.pathParam("session"));
    Thread.ofVirtual()
        .name("langbot-attach")
        .start(
            () -> {
              try {
                Placement placement =
                    CallContext.of(client, workspace.strip(), Long.parseLong(generation));
                open(context, loop, placement, session, process == null ? "default" : process);
              } catch (RuntimeException e) {
                BoxError error = Failures.of(e);
                loop.runOnContext(on -> refuse(context, error));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private void open(
      RoutingContext context, Context loop, Placement placement, String physical, String processId)
      throws InterruptedException {
    admissions.observe(placement.workspace(), placement.generation());
    var _ = admissions.inForce(placement.workspace(), false);
    Box box = box(placement, physical, processId);
    String session = placement.sessionOf(box);
    SandboxId sandbox = box.sandbox().id();
    ProcessState state =
        processes
            .find(sandbox, processId)
            .orElseThrow(() -> BoxError.noProcess(session, processId));
    if (!state.running()) {
      throw new BoxError(
          Kind.PROCESS_CONFLICT,
          "managed process %s in session %s is not running".formatted(processId, session));
    }
    long from =
        admitted
            .find(sandbox, processId)
            .map(AdmittedProcess::readTo)
            .map(saved -> Math.max(saved, attached.readTo(sandbox, processId)))
            .map(read -> Math.clamp(read, state.stdoutFirst(), state.stdoutNext()))
            .orElse(state.stdoutFirst());
    ProcessRelay relay =
        new ProcessRelay(
            context,
            loop,
            sandbox,
            processId,
            attached,
            from,
            saver(sandbox, processId),
            () -> stale(placement));
    var _ =
        sockets.open(
            sandbox,
            Capability.PROCESS,
            "%s/attach?write=true&stdout_offset=%d&stderr_offset=%d"
                .formatted(BoxdProcesses.path(processId), from, state.stderrNext()),
            loop,
            relay);
  }

  private ProcessRelay.Saver saver(SandboxId sandbox, String processId) {
    return offset ->
        Thread.ofVirtual()
            .name("langbot-read-to")
            .start(
                () -> {
                  admitted.read(sandbox, processId, offset);
                  attached.saved(sandbox, processId, offset);
                });
  }

  private boolean stale(Placement placement) {
    return admissions.newest(placement.workspace()) > placement.generation();
  }

  /**
   * The box that an id in a path means. Several sessions may have one such id; then it is the one
   * that is written so itself, or else the only one that has the process.
   */
  private Box box(Placement placement, String physical, String processId)
      throws InterruptedException {
    List<Box> meant =
        sessions.all(placement).stream()
            .filter(box -> placement.mayMean(physical, placement.sessionOf(box)))
            .toList();
    List<Box> exact =
        meant.stream()
            .filter(
                box ->
                    placement.exact(physical).filter(placement.sessionOf(box)::equals).isPresent())
            .toList();
    List<Box> candidates = exact.isEmpty() ? having(meant, processId) : exact;
    if (candidates.size() > 1) {
      throw new BoxError(
          Kind.PROCESS_CONFLICT,
          "several sessions have the id '%s' and a process '%s': give them ids of A-Za-z0-9_.-"
              .formatted(physical, processId));
    }
    if (candidates.isEmpty()) {
      throw meant.isEmpty()
          ? BoxError.noSession(physical)
          : BoxError.noProcess(physical, processId);
    }
    return candidates.getFirst();
  }

  private List<Box> having(List<Box> boxes, String processId) throws InterruptedException {
    List<Box> having = new ArrayList<>();
    for (Box box : boxes) {
      if (processes.find(box.sandbox().id(), processId).isPresent()) {
        having.add(box);
      }
    }
    return having;
  }

  static void refuse(RoutingContext context, BoxError error) {
    context.request().resume();
    if (!context.response().ended()) {
      context
          .response()
          .setStatusCode(BAD_REQUEST)
          .putHeader("Content-Type", "application/json")
          .end(
              new JsonObject()
                  .put(
                      "error",
                      new JsonObject()
                          .put("code", error.kind().className())
                          .put("message", error.getMessage()))
                  .encode());
    }
  }
}
