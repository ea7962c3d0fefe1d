package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.access.Tenant;
import dev.sandboxer.platform.access.Tenants;
import dev.sandboxer.platform.api.AuditedAction;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Sandbox;
import jakarta.enterprise.context.ApplicationScoped;
import org.jspecify.annotations.Nullable;

/**
 * Sandboxes of tenants that are not the key's own: an administrator may list them, look at them and
 * end them; for every other role they are not there.
 */
@ApplicationScoped
class OtherTenants {

  private static final String EVERY = "*";

  private final Caller caller;
  private final AuditedAction audited;
  private final Tenants tenants;
  private final OwnSandboxes sandboxes;

  OtherTenants(Caller caller, AuditedAction audited, Tenants tenants, OwnSandboxes sandboxes) {
    this.caller = caller;
    this.audited = audited;
    this.tenants = tenants;
    this.sandboxes = sandboxes;
  }

  /**
   * Whose sandboxes a list is of. One that names a tenant is in the audit.
   *
   * @param name of a tenant, {@code *} for all, null for the caller's own
   * @return the tenant's id, null for all
   * @throws ProblemException FORBIDDEN if one is named and the caller is no administrator,
   *     VALIDATION if there is none of that name
   */
  @Nullable String listed(@Nullable String name) {
    if (name == null) {
      return caller.principal().tenantId();
    }
    audited.is("sandbox.list");
    var _ = caller.require(Role.ADMIN);
    return name.equals(EVERY) ? null : id(name);
  }

  /**
   * Finds one to look at.
   *
   * @param id {@code sb_...}
   * @return of any tenant for an administrator, else of the caller's own
   * @throws ProblemException NOT_FOUND as {@link OwnSandboxes#find} has it
   */
  Sandbox find(String id) {
    Principal principal = caller.principal();
    return principal.role().covers(Role.ADMIN)
        ? sandboxes.findOfAny(principal, id)
        : sandboxes.find(principal, id);
  }

  /** Finds one to end, as {@link #find}; that of another tenant is in the audit. */
  Sandbox findToEnd(String id) {
    Sandbox sandbox = find(id);
    if (!sandbox.tenantId().equals(caller.principal().tenantId())) {
      audited.is("sandbox.delete").sandbox(sandbox.publicId());
    }
    return sandbox;
  }

  private String id(String name) {
    return tenants
        .byName(name)
        .map(Tenant::id)
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.VALIDATION,
                    "there is no tenant '%s': send the name of one, or * for all".formatted(name)));
  }
}
