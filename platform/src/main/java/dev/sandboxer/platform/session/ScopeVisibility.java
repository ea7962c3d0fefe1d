package dev.sandboxer.platform.session;

import dev.sandboxer.platform.access.Limits;
import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Sandbox;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Keeps a key that is narrowed to scopes away from the sandboxes of others. */
@ApplicationScoped
public class ScopeVisibility {

  private static final String SCOPES =
      """
      select sandbox_id, scope_type, scope_id from session
      where tenant_id = :tenant and sandbox_id = any(:sandboxes)
      union all
      select sandbox_id, 'box', scope_name from box
      where tenant_id = :tenant and sandbox_id = any(:sandboxes)
      """;

  private final Jdbi jdbi;

  ScopeVisibility(Jdbi jdbi) {
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
    return !open(principal, List.of(sandbox)).isEmpty();
  }

  /** As above, within a transaction, and so on its connection. */
  boolean open(Handle handle, Principal principal, Sandbox sandbox) {
    return !open(handle, principal, List.of(sandbox)).isEmpty();
  }

  /**
   * Those of a key's tenant that the key may know.
   *
   * @param principal the key
   * @param sandboxes of the key's tenant
   * @return some of them, in the same order
   */
  public List<Sandbox> open(Principal principal, List<Sandbox> sandboxes) {
    return principal.limits().scopes() == null
        ? sandboxes
        : jdbi.withHandle(handle -> open(handle, principal, sandboxes));
  }

  private static List<Sandbox> open(Handle handle, Principal principal, List<Sandbox> sandboxes) {
    if (principal.limits().scopes() == null) {
      return sandboxes;
    }
    Set<SandboxId> bound = bound(handle, principal, sandboxes);
    return sandboxes.stream()
        .filter(one -> principal.keyId().equals(one.principalId()) || bound.contains(one.id()))
        .toList();
  }

  private static Set<SandboxId> bound(Handle handle, Principal principal, List<Sandbox> sandboxes) {
    Limits limits = principal.limits();
    return handle
        .createQuery(SCOPES)
        .bind("tenant", principal.tenantId())
        .bindArray(
            "sandboxes", String.class, sandboxes.stream().map(one -> one.id().raw()).toArray())
        .map(
            (row, _) ->
                new Bound(new SandboxId(row.getString(1)), row.getString(2), row.getString(3)))
        .stream()
        .filter(bound -> limits.allowsScope(bound.type(), bound.id()))
        .map(Bound::sandbox)
        .collect(Collectors.toSet());
  }

  private record Bound(SandboxId sandbox, String type, String id) {}
}
