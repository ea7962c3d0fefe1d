package dev.sandboxer.platform.order;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.ProfileRef;
import dev.sandboxer.platform.secret.SecretRef;
import dev.sandboxer.platform.secret.Secrets;
import dev.sandboxer.spi.secret.SecretException;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/**
 * Looks whether the secrets of a sandbox can be had, just before it is recorded. They are read
 * again when it is made; here the caller gets the reason at once. What lives already needs no
 * store.
 */
@ApplicationScoped
public class OrderedSecrets {

  private final Secrets secrets;

  OrderedSecrets(Secrets secrets) {
    this.secrets = secrets;
  }

  /**
   * Reads the secrets of an order. Not to be called in a transaction.
   *
   * @param order of what is going to be made
   * @throws ProblemException VALIDATION if one was not granted or is not there, UNAVAILABLE if a
   *     store cannot be asked
   */
  public void check(Order order) {
    check(order.tenantId(), order.profile(), order.secretRefs());
  }

  /**
   * Reads secrets. Not to be called in a transaction.
   *
   * @param tenantId owner
   * @param profile that refers to them, for errors
   * @param refs what to read
   * @throws ProblemException as for an order
   */
  public void check(String tenantId, ProfileRef profile, List<SecretRef> refs) {
    try {
      secrets.check(tenantId, refs);
    } catch (SecretException e) {
      throw refused(profile, e);
    }
  }

  /**
   * A secret that cannot be had, for a caller.
   *
   * @param profile that refers to it
   * @param reason why
   * @return to be thrown
   */
  public static ProblemException refused(ProfileRef profile, SecretException reason) {
    return new ProblemException(
        Problem.of(
                reason.isAway() ? ErrorCode.UNAVAILABLE : ErrorCode.VALIDATION,
                "%s: %s".formatted(profile, reason.getMessage()))
            .with("profile_key", "secret_refs"));
  }
}
