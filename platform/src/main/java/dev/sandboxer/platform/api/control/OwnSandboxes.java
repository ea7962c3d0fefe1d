package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.session.ScopeVisibility;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The sandboxes that a key may know by their ids. */
@ApplicationScoped
class OwnSandboxes {

  private final Sandboxes sandboxes;
  private final ScopeVisibility visibility;

  OwnSandboxes(Sandboxes sandboxes, ScopeVisibility visibility) {
    this.sandboxes = sandboxes;
    this.visibility = visibility;
  }

  /**
   * Finds one.
   *
   * @throws ProblemException NOT_FOUND if there is none, it is another tenant's, or beyond the
   *     scopes that the key is narrowed to
   */
  Sandbox find(Principal principal, String id) {
    return open(principal, id, known -> sandboxes.find(principal.tenantId(), known));
  }

  /**
   * Finds one whosever it is; whether the key may is the caller's to say.
   *
   * @throws ProblemException NOT_FOUND if there is none, or it is beyond the scopes that the key is
   *     narrowed to
   */
  Sandbox findOfAny(Principal principal, String id) {
    return open(principal, id, sandboxes::find);
  }

  private Sandbox open(
      Principal principal, String id, Function<SandboxId, Optional<Sandbox>> byId) {
    return SandboxId.parse(id)
        .flatMap(byId)
        .filter(sandbox -> visibility.open(principal, sandbox))
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.NOT_FOUND, "there is no sandbox '%s'".formatted(id)));
  }

  /** Those that the key may know. */
  List<Sandbox> known(Principal principal, List<Sandbox> all) {
    return visibility.open(principal, all);
  }

  /**
   * Checks that a key may hear of what is asked for.
   *
   * @param id of one sandbox, null for all of the tenant's
   * @throws ProblemException FORBIDDEN if the key is narrowed to scopes and no sandbox is named,
   *     NOT_FOUND as for {@link #find}
   */
  void mayHear(Principal principal, @Nullable String id) {
    if (principal.limits().scopes() == null) {
      return;
    }
    if (id == null) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "this key is narrowed to scopes %s and hears of single sandboxes alone: add ?sandbox_id="
              .formatted(principal.limits().scopes()));
    }
    var _ = find(principal, id);
  }
}
