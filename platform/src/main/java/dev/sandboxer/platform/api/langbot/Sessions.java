package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.admission.Admissions;
import dev.sandboxer.platform.api.control.SandboxFailure;
import dev.sandboxer.platform.api.langbot.BoxError.Kind;
import dev.sandboxer.platform.box.Box;
import dev.sandboxer.platform.box.BoxRequest;
import dev.sandboxer.platform.box.Boxes;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.provisioning.Waiters;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The client's sessions: boxes whose scopes are made of instance, workspace and session id. */
@ApplicationScoped
class Sessions {

  /** More than a workspace can have. */
  private static final int MOST = 10_000;

  private final Boxes boxes;
  private final Admissions admissions;
  private final SessionRequests requests;
  private final Waiters waiters;

  Sessions(Boxes boxes, Admissions admissions, SessionRequests requests, Waiters waiters) {
    this.boxes = boxes;
    this.admissions = admissions;
    this.requests = requests;
    this.waiters = waiters;
  }

  /** Gets or creates the box of a session, and waits until it is ready. */
  Box ensure(ActionCall call, SessionSpec spec, Duration wait) throws InterruptedException {
    Placement placement = call.placement();
    String tenant = placement.workspace().tenantId();
    boolean required = call.admissionRequired();
    var _ = admissions.inForce(placement.workspace(), required);
    BoxRequest request =
        requests.of(call.client(), placement, spec, find(placement, spec.sessionId()));
    Box box =
        boxes
            .ensure(
                request,
                open ->
                    admissions.admitBox(
                        open,
                        placement.workspace(),
                        required,
                        handle -> boxes.countLiving(handle, tenant, placement.prefix())))
            .box();
    return ready(placement, box, spec.sessionId(), wait);
  }

  /** The living box of a session, once it is ready. */
  Box ready(Placement placement, String sessionId, Duration wait) throws InterruptedException {
    return ready(placement, living(placement, sessionId), sessionId, wait);
  }

  private Box ready(Placement placement, Box box, String sessionId, Duration wait)
      throws InterruptedException {
    if (box.sandbox().state().reachable()) {
      return box;
    }
    Optional<Sandbox> now = waiters.await(box.sandbox().id(), row -> row.state().settled(), wait);
    if (now.isPresent() && now.get().state() == SandboxState.FAILED) {
      throw new ProblemException(SandboxFailure.problem(now.get()));
    }
    if (now.isEmpty() || !now.get().state().reachable()) {
      throw new BoxError(
          Kind.BACKEND_UNAVAILABLE,
          "the box of session %s is not ready yet, after %d s; call again"
              .formatted(sessionId, wait.toSeconds()));
    }
    return find(placement, sessionId).orElse(box);
  }

  /** The living box of a session. */
  Box living(Placement placement, String sessionId) {
    return find(placement, sessionId)
        .filter(Box::living)
        .orElseThrow(() -> BoxError.noSession(sessionId));
  }

  private Optional<Box> find(Placement placement, String sessionId) {
    return boxes.find(placement.workspace().tenantId(), placement.scope(sessionId));
  }

  /** All living boxes of a workspace. */
  List<Box> all(Placement placement) {
    return boxes.living(placement.workspace().tenantId(), placement.prefix(), MOST);
  }

  /** Ends the box of a session. */
  void delete(Placement placement, String sessionId) throws InterruptedException {
    boxes.delete(living(placement, sessionId));
  }

  /** Ends all boxes whose scopes' names begin alike; gives how many. */
  int deleteAll(String tenant, String prefix) throws InterruptedException {
    List<Box> all = boxes.living(tenant, prefix, MOST);
    for (Box box : all) {
      boxes.delete(box);
    }
    return all.size();
  }
}
