package dev.sandboxer.platform.session;

import dev.sandboxer.platform.access.Limits;
import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.sandbox.Sandbox;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** Keeps a key that is narrowed to scopes away from the sandboxes of others. */
@ApplicationScoped
public class ScopeFence {

  private static final String SCOPES =
      "select scope_type, scope_id from session where tenant_id = :tenant and sandbox_id = :sandbox";

  private final Jdbi jdbi;

  ScopeFence(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Whether a key may know a sandbox of its tenant.
   *
   * @param principal the key
   * @param sandbox of the key's tenant
   * @return true if the key is not narrowed to scopes, has made the sandbox itself, or may use a
   *     scope that was bound to it
   */
  public boolean open(Principal principal, Sandbox sandbox) {
    Limits limits = principal.limits();
    return limits.scopes() == null
        || principal.keyId().equals(sandbox.principalId())
        || bound(sandbox).stream().anyMatch(scope -> limits.allowsScope(scope.type(), scope.id()));
  }

  private List<Bound> bound(Sandbox sandbox) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(SCOPES)
                .bind("tenant", sandbox.tenantId())
                .bind("sandbox", sandbox.id())
                .map((row, _) -> new Bound(row.getString(1), row.getString(2)))
                .list());
  }

  private record Bound(String type, String id) {}
}
