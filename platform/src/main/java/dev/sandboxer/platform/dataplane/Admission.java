package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.token.TokenClaims;
import dev.sandboxer.platform.token.TokenVerifier;
import dev.sandboxer.platform.token.Verdict;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a token counts for a sandbox now: the token itself, that the sandbox is there,
 * its generation, what was revoked. Runs on event loops; handlers are called on the same one, at
 * once where this node knows the sandbox.
 */
final class Admission {

  private static final Logger LOG = Logger.getLogger(Admission.class);

  private final Vertx vertx;
  private final TokenVerifier verifier;
  private final DataplaneTargets targets;
  private final Executor loading = Executors.newVirtualThreadPerTaskExecutor();

  Admission(Vertx vertx, TokenVerifier verifier, DataplaneTargets targets) {
    this.vertx = vertx;
    this.verifier = verifier;
    this.targets = targets;
  }

  /** What became of it. */
  sealed interface Outcome {

    /** It counts. */
    record Admitted(Target target, TokenClaims claims) implements Outcome {}

    /**
     * It does not; callers see one same answer whatever the reason is.
     *
     * @param reason for the log
     * @param claims of a token that was good in itself, null for others
     */
    record Refused(String reason, @Nullable TokenClaims claims) implements Outcome {}

    /** It was not looked at. */
    record TooMany(int retryAfterSeconds) implements Outcome {}

    /** It could not be looked at, or what was revoked is not known any more. */
    record Unavailable() implements Outcome {}
  }

  void token(@Nullable String token, SandboxId sandboxId, String address, Handler<Outcome> then) {
    switch (verifier.verify(token, sandboxId, address)) {
      case Verdict.Refused refused -> then.handle(new Outcome.Refused(refused.reason(), null));
      case Verdict.TooMany many -> then.handle(new Outcome.TooMany(many.retryAfterSeconds()));
      case Verdict.Accepted accepted -> claims(accepted.claims(), then);
    }
  }

  /** For claims that were checked in another way. */
  void claims(TokenClaims claims, Handler<Outcome> then) {
    Optional<Target> known = targets.find(claims.sandboxId());
    if (known.isPresent() && known.get().generation() >= claims.generation()) {
      then.handle(decide(claims, known));
      return;
    }
    Context loop = vertx.getOrCreateContext();
    loading.execute(
        () -> {
          Outcome outcome = load(claims);
          loop.runOnContext(on -> then.handle(outcome));
        });
  }

  private Outcome load(TokenClaims claims) {
    try {
      return decide(claims, targets.load(claims));
    } catch (RuntimeException e) {
      LOG.errorf(e, "relay could not load sandbox=%s", claims.sandboxId());
      return new Outcome.Unavailable();
    }
  }

  private Outcome decide(TokenClaims claims, Optional<Target> found) {
    if (found.isEmpty()) {
      return new Outcome.Refused("no such sandbox, or not ready", claims);
    }
    if (targets.stale()) {
      return new Outcome.Unavailable();
    }
    Target target = found.get();
    long minimum = targets.minEpoch(target, claims);
    return claims.countsFor(target.generation(), minimum)
        ? new Outcome.Admitted(target, claims)
        : new Outcome.Refused("another generation, or revoked", claims);
  }
}
