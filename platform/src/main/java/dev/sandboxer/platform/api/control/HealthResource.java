package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.delivery.Delivery;
import dev.sandboxer.platform.delivery.SinkStatus;
import dev.sandboxer.platform.delivery.WebhookStatus;
import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.extension.LoadedExtension;
import dev.sandboxer.platform.installation.Installation;
import dev.sandboxer.platform.provisioning.CleanupDebt;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** {@code /v1/health}: does the process live, may requests come. Details are for operators. */
@Path("/v1/health")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "operations")
public class HealthResource {

  private static final Logger LOG = Logger.getLogger(HealthResource.class);

  private final Caller caller;
  private final Jdbi jdbi;
  private final ExtensionRegistry extensions;
  private final Installation installation;
  private final Delivery delivery;
  private final CleanupDebt debt;

  HealthResource(
      Caller caller,
      Jdbi jdbi,
      ExtensionRegistry extensions,
      Installation installation,
      Delivery delivery,
      CleanupDebt debt) {
    this.caller = caller;
    this.jdbi = jdbi;
    this.extensions = extensions;
    this.installation = installation;
    this.delivery = delivery;
    this.debt = debt;
  }

  @GET
  @Operation(operationId = "health", summary = "Liveness; needs no key")
  public HealthView alias() {
    return live();
  }

  @GET
  @Path("live")
  @Operation(operationId = "live", summary = "Liveness; needs no key")
  public HealthView live() {
    return new HealthView("up", null);
  }

  @GET
  @Path("ready")
  @Operation(
      operationId = "ready",
      summary = "Readiness; needs no key",
      description = "503 while the database does not answer. With an operator's key: the checks.")
  public Response ready() {
    boolean database = databaseAnswers();
    HealthView view =
        new HealthView(
            database ? "up" : "down", caller.may(Role.OPERATOR) ? checks(database) : null);
    return Response.status(database ? 200 : 503).entity(view).build();
  }

  private List<CheckView> checks(boolean database) {
    List<CheckView> checks = new ArrayList<>();
    checks.add(new CheckView("database", database, database ? "answers" : "does not answer"));
    checks.add(
        new CheckView(
            "installation",
            !installation.sweepsReportOnly(),
            installation.doubt().orElse("known")));
    for (LoadedExtension extension : extensions.list()) {
      boolean loaded = extension.state() == LoadedExtension.State.LOADED;
      String reason = extension.reason();
      checks.add(new CheckView(extension.id(), loaded, reason == null ? "loaded" : reason));
    }
    if (database) {
      checks.add(check(debt.status()));
      delivery.status().stream().map(HealthResource::check).forEach(checks::add);
      WebhookStatus webhooks = delivery.webhooks();
      if (webhooks.all() > 0) {
        checks.add(check(webhooks));
      }
    }
    return checks;
  }

  private static CheckView check(CleanupDebt.Status debt) {
    CleanupDebt.Failing oldest = debt.oldest();
    String waiting = "%d waiting, %d failing".formatted(debt.waiting(), debt.failing());
    String why =
        oldest == null
            ? ""
            : "; %s since %s: %s".formatted(oldest.sandbox(), oldest.since(), oldest.reason());
    return new CheckView("clean-up", debt.failing() == 0, waiting + why);
  }

  private static CheckView check(SinkStatus sink) {
    String behind =
        "%s, %d events behind, %.1f s".formatted(sink.state(), sink.lag(), sink.lagSeconds());
    String set = sink.parked() == 0 ? "" : ", %d subjects parked".formatted(sink.parked());
    String error = sink.lastError();
    boolean told = !sink.well() && error != null;
    return new CheckView(
        "sink " + sink.id(), sink.well(), behind + set + (told ? ": " + error : ""));
  }

  /** What a tenant's receiver does is no fault of this installation. */
  private static CheckView check(WebhookStatus webhooks) {
    return new CheckView(
        "webhooks",
        true,
        "%d, %d failing, %d paused, %d events behind, %.1f s, %d subjects parked"
            .formatted(
                webhooks.all(),
                webhooks.failing(),
                webhooks.paused(),
                webhooks.lag(),
                webhooks.lagSeconds(),
                webhooks.parked()));
  }

  private boolean databaseAnswers() {
    try {
      return jdbi.withHandle(handle -> handle.createQuery("select 1").mapTo(Integer.class).one())
          == 1;
    } catch (RuntimeException e) {
      LOG.debugf("readiness: the database does not answer reason=%s", e);
      return false;
    }
  }

  @Schema(name = "Health")
  record HealthView(
      @Schema(enumeration = {"up", "down"}) String status,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<CheckView> checks) {}

  @Schema(name = "HealthCheck")
  record CheckView(String name, boolean ok, String detail) {}
}
