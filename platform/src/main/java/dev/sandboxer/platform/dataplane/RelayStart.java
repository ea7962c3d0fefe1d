package dev.sandboxer.platform.dataplane;

import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/** Mounts the relay, and looks after its open streams. */
@ApplicationScoped
class RelayStart {

  private static final long WATCH_MILLIS = 5_000;

  void mount(@Observes Router router, RelayRoutes routes, Vertx vertx, OpenStreams streams) {
    routes.mount(router);
    vertx.setPeriodic(WATCH_MILLIS, fired -> streams.watch());
  }
}
