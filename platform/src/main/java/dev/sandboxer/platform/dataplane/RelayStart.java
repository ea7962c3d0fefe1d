package dev.sandboxer.platform.dataplane;

import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/** Mounts the relay, and notes the use of sandboxes while streams to them are open. */
@ApplicationScoped
class RelayStart {

  private static final long USED_MILLIS = 5_000;
  private static final long WATCH_MILLIS = 5_000;

  void mount(
      @Observes Router router,
      RelayRoutes routes,
      Vertx vertx,
      OpenStreams streams,
      DataplaneTargets targets) {
    routes.mount(router);
    vertx.setPeriodic(USED_MILLIS, fired -> streams.targets().forEach(targets::used));
    vertx.setPeriodic(WATCH_MILLIS, fired -> streams.watch());
  }
}
