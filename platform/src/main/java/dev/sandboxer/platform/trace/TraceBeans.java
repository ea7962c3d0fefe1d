package dev.sandboxer.platform.trace;

import dev.sandboxer.platform.installation.Settings;
import io.vertx.ext.web.Router;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Makes the tracing as the settings say. */
@ApplicationScoped
class TraceBeans {

  @Produces
  @Singleton
  Tracing tracing(
      Settings settings, @ConfigProperty(name = "quarkus.application.version") String version) {
    return new Tracing(settings.otlpEndpoint(), settings.authorities(), version);
  }

  void close(@Disposes Tracing tracing) {
    tracing.close();
  }

  void mount(@Observes Router router, Tracing tracing) {
    new RequestTracing(tracing).mount(router);
  }
}
