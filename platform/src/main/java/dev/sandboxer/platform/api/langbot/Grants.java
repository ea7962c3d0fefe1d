package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.admission.AdmissionGrant;
import dev.sandboxer.platform.admission.Admissions;
import dev.sandboxer.platform.admission.Workspace;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Set;

/** The actions that say from outside what a workspace may have. */
@ApplicationScoped
class Grants {

  private static final Set<String> GRANT =
      Set.of(
          "instance_uuid",
          "workspace_uuid",
          "execution_generation",
          "entitlement_revision",
          "expires_at",
          "max_sessions",
          "max_managed_processes");

  private static final Set<String> REVOCATION =
      Set.of("instance_uuid", "workspace_uuid", "entitlement_revision");

  private final Admissions admissions;
  private final Sessions sessions;

  Grants(Admissions admissions, Sessions sessions) {
    this.admissions = admissions;
    this.sessions = sessions;
  }

  JsonObject upsert(ActionCall call) throws InterruptedException {
    Fields fields = call.fields().only(GRANT);
    Workspace workspace = workspace(call, fields);
    AdmissionGrant now =
        admissions.grant(
            workspace,
            new AdmissionGrant(
                fields.number("execution_generation", 1),
                fields.number("entitlement_revision", 1),
                expiry(fields),
                limit(fields, "max_sessions"),
                limit(fields, "max_managed_processes")));
    if (now.maxSessions() == 0) {
      end(workspace);
    }
    return new JsonObject()
        .put("installed", true)
        .put("workspace_uuid", workspace.id())
        .put("execution_generation", now.generation())
        .put("entitlement_revision", now.revision())
        .put("max_sessions", now.maxSessions())
        .put("max_managed_processes", now.maxManagedProcesses())
        .put("expires_at", now.expiresAt().toString());
  }

  JsonObject revoke(ActionCall call) throws InterruptedException {
    Fields fields = call.fields().only(REVOCATION);
    Workspace workspace = workspace(call, fields);
    long revision = fields.number("entitlement_revision", 1);
    admissions.revoke(workspace, revision);
    end(workspace);
    return new JsonObject()
        .put("revoked", true)
        .put("workspace_uuid", workspace.id())
        .put("entitlement_revision", revision);
  }

  private void end(Workspace workspace) throws InterruptedException {
    var _ = sessions.deleteAll(workspace.tenantId(), new Placement(workspace, 1).prefix());
  }

  private static Workspace workspace(ActionCall call, Fields fields) {
    if (!fields.word("instance_uuid").equals(call.client().instance())) {
      throw new BoxError(
          BoxError.Kind.ADMISSION, "the grant is of another instance than this connection's");
    }
    return call.workspace(fields.word("workspace_uuid"));
  }

  private static int limit(Fields fields, String name) {
    return (int) Math.min(fields.number(name, 0), Integer.MAX_VALUE);
  }

  private static Instant expiry(Fields fields) {
    try {
      return OffsetDateTime.parse(fields.text("expires_at")).toInstant();
    } catch (DateTimeException e) {
      throw fields.wrong("expires_at", "must be a date and time with its offset, as of RFC 3339");
    }
  }
}
