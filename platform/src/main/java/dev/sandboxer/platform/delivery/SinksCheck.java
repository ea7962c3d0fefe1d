package dev.sandboxer.platform.delivery;

import dev.sandboxer.platform.health.FeatureCheck;
import dev.sandboxer.platform.health.Finding;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/** Whether events reach the operator's sinks, and how the tenants' webhooks fare. */
@Wellness
@Singleton
class SinksCheck extends FeatureCheck {

  private final Delivery delivery;

  SinksCheck(Delivery delivery) {
    super("sinks");
    this.delivery = delivery;
  }

  @Override
  public boolean asksDatabase() {
    return true;
  }

  @Override
  public List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    delivery.status().stream().map(SinksCheck::finding).forEach(findings::add);
    WebhookStatus webhooks = delivery.webhooks();
    if (webhooks.all() > 0) {
      findings.add(finding(webhooks));
    }
    return findings;
  }

  private static Finding finding(SinkStatus sink) {
    String behind =
        "%s, %d events behind, %.1f s".formatted(sink.state(), sink.lag(), sink.lagSeconds());
    String set = sink.parked() == 0 ? "" : ", %d subjects parked".formatted(sink.parked());
    String error = sink.lastError();
    boolean told = !sink.well() && error != null;
    return new Finding("sink " + sink.id(), sink.well(), behind + set + (told ? ": " + error : ""));
  }

  /** What a tenant's receiver does is no fault of this installation. */
  private static Finding finding(WebhookStatus webhooks) {
    return new Finding(
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
}
