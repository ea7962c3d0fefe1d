package dev.sandboxer.platform.api;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.RequestScoped;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who makes the present request, and under which id. */
@RequestScoped
public class Caller {

  private @Nullable Principal principal;

  void set(Principal known) {
    principal = known;
  }

  /**
   * Who calls, if that is known.
   *
   * @return empty without a valid key
   */
  public Optional<Principal> known() {
    return Optional.ofNullable(principal);
  }

  /**
   * Whether a valid key came with the request and its role suffices.
   *
   * @param least role needed
   * @return false without a key
   */
  public boolean may(Role least) {
    Principal known = principal;
    return known != null && known.role().covers(least);
  }

  /**
   * Who calls.
   *
   * @return the principal
   * @throws ProblemException UNAUTHENTICATED if no key came
   */
  public Principal principal() {
    Principal known = principal;
    if (known == null) {
      throw new ProblemException(
          ErrorCode.UNAUTHENTICATED, "send a key as 'Authorization: Bearer sbxk_...'");
    }
    return known;
  }

  /**
   * Demands a role.
   *
   * @param least role needed
   * @return who calls
   * @throws ProblemException FORBIDDEN if the role does not suffice
   */
  public Principal require(Role least) {
    Principal known = principal();
    if (!known.role().covers(least)) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "this needs a key with role %s, yours is %s"
              .formatted(least.text(), known.role().text()));
    }
    return known;
  }

  /**
   * Demands a key that is not narrowed to scopes, for what belongs to all of a tenant.
   *
   * @param what is asked for, in the plural
   * @return who calls
   * @throws ProblemException FORBIDDEN if the key is narrowed
   */
  public Principal ofWholeTenant(String what) {
    Principal known = principal();
    if (known.limits().scopes() != null) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "this key is narrowed to scopes %s; %s are beyond them"
              .formatted(known.limits().scopes(), what));
    }
    return known;
  }
}
