package dev.sandboxer.platform.api;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.audit.AuditEntry;
import dev.sandboxer.platform.audit.AuditLog;
import dev.sandboxer.platform.problem.RequestId;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.ext.Provider;
import java.time.Clock;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Puts into the audit what was done, and every refusal. */
@Provider
@ApplicationScoped
class AuditFilter implements ContainerResponseFilter {

  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int MAX_ACTION = 200;

  private final AuditedAction audited;
  private final Caller caller;
  private final AuditLog audit;
  private final RoutingContext request;
  private final Clock clock;

  AuditFilter(
      AuditedAction audited, Caller caller, AuditLog audit, RoutingContext request, Clock clock) {
    this.audited = audited;
    this.caller = caller;
    this.audit = audit;
    this.request = request;
    this.clock = clock;
  }

  @Override
  public void filter(ContainerRequestContext in, ContainerResponseContext out) {
    boolean denied = out.getStatus() == UNAUTHORIZED || out.getStatus() == FORBIDDEN;
    if (denied || audited.recorded()) {
      AuditEntry entry = entry(in);
      if (audited.mustBeWritten()) {
        audit.write(entry);
      } else if (Thread.currentThread().isVirtual()) {
        audit.record(entry);
      } else {
        audit.recordNow(entry);
      }
    }
  }

  private AuditEntry entry(ContainerRequestContext in) {
    Optional<Principal> principal = caller.known();
    String route = in.getMethod() + " " + in.getUriInfo().getPath();
    return new AuditEntry(
        0,
        clock.instant(),
        RequestId.of(request),
        principal.map(Principal::keyId).orElse(null),
        Optional.ofNullable(audited.userId()).or(() -> principal.map(Principal::user)).orElse(null),
        principal.map(Principal::tenantId).orElse(null),
        audited.scopeType(),
        audited.scopeId(),
        audited.sessionId(),
        audited.sandboxId(),
        audited.action(route.length() > MAX_ACTION ? route.substring(0, MAX_ACTION) : route),
        audited.result(),
        address());
  }

  private @Nullable String address() {
    SocketAddress remote = request.request().remoteAddress();
    return remote == null ? null : remote.hostAddress();
  }
}
