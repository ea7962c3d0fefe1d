package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;

/**
 * What every open stream needs: where it is registered and counted, and who checks further tokens.
 *
 * @param streams that are open
 * @param metrics of the relay
 * @param targets that bytes are counted for
 * @param admission of further tokens
 * @param timeouts of streams in which nothing moves
 * @param audit of refusals
 */
record StreamServices(
    OpenStreams streams,
    RelayMetrics metrics,
    DataplaneTargets targets,
    Admission admission,
    RelayTimeouts timeouts,
    RelayAudit audit) {

  /** Whether what was let in a moment ago would not be any more. */
  boolean ended(Admission.Outcome.Admitted admitted) {
    return targets.ended(admitted.target(), admitted.claims());
  }

  Traffic traffic(Target target) {
    return new Traffic(metrics, targets, target);
  }

  Renewal renewal(RoutingContext context, AdmittedRequest passage, Handler<Buffer> say) {
    return new Renewal(admission, ClientAddress.of(context.request()), passage, say);
  }
}
