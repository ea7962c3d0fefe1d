package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.session.ScopeFence;
import jakarta.enterprise.context.ApplicationScoped;

/** The sandboxes that a key may know by their ids. */
@ApplicationScoped
class OwnSandboxes {

  private final Sandboxes sandboxes;
  private final ScopeFence fence;

  OwnSandboxes(Sandboxes sandboxes, ScopeFence fence) {
    this.sandboxes = sandboxes;
    this.fence = fence;
  }

  /**
   * Finds one.
   *
   * @throws ProblemException NOT_FOUND if there is none, it is another tenant's, or beyond the
   *     scopes that the key is narrowed to
   */
  Sandbox find(Principal principal, String id) {
    return Ids.sandbox(id)
        .flatMap(raw -> sandboxes.find(principal.tenantId(), raw))
        .filter(sandbox -> fence.open(principal, sandbox))
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.NOT_FOUND, "there is no sandbox '%s'".formatted(id)));
  }
}
