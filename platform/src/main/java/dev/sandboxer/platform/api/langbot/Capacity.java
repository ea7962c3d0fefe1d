package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.admission.AdmissionGrant;
import dev.sandboxer.platform.admission.Admissions;
import dev.sandboxer.platform.installation.Settings;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;

/** How many sessions a workspace may have; whether there is room is decided when one is made. */
@ApplicationScoped
class Capacity {

  private final Admissions admissions;
  private final int mostOfTenant;

  Capacity(Admissions admissions, Settings settings) {
    this.admissions = admissions;
    this.mostOfTenant = settings.maxLive();
  }

  JsonObject of(ActionCall call, int used) {
    int limit =
        admissions
            .inForce(call.placement().workspace(), call.admissionRequired())
            .map(AdmissionGrant::maxSessions)
            .map(most -> Math.min(most, mostOfTenant))
            .orElse(mostOfTenant);
    return new JsonObject()
        .put("limit", limit)
        .put("used", used)
        .put("remaining", Math.max(limit - used, 0));
  }
}
