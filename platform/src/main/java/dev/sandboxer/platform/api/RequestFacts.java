package dev.sandboxer.platform.api;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.trace.LogFields;
import dev.sandboxer.platform.trace.RequestTracing;
import dev.sandboxer.platform.trace.Span;
import io.vertx.ext.web.RoutingContext;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.ext.Provider;
import java.lang.reflect.AnnotatedElement;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Tells the log and the trace which resource was found, and which sandbox it is about. */
@Provider
@ApplicationScoped
@Priority(RequestFacts.BEFORE_THE_GATE)
class RequestFacts implements ContainerRequestFilter {

  static final int BEFORE_THE_GATE = 100;

  private final RoutingContext request;
  private final ResourceInfo resource;

  RequestFacts(RoutingContext request, ResourceInfo resource) {
    this.request = request;
    this.resource = resource;
  }

  @Override
  public void filter(ContainerRequestContext context) {
    String id = context.getUriInfo().getPathParameters().getFirst("id");
    Optional<SandboxId> sandbox = Optional.ofNullable(id).flatMap(SandboxId::parse);
    sandbox.ifPresent(LogFields::sandbox);
    Span span = RequestTracing.of(request);
    if (span.traced()) {
      String route = route();
      span.set("http.route", route).rename(context.getMethod() + " " + route);
      sandbox.ifPresent(known -> span.set("sandboxer.sandbox.id", known.publicId()));
    }
  }

  private String route() {
    String path = path(resource.getResourceClass()) + "/" + path(resource.getResourceMethod());
    String route = path.replaceAll("/{2,}", "/");
    return route.length() > 1 && route.endsWith("/")
        ? route.substring(0, route.length() - 1)
        : route;
  }

  private static String path(@Nullable AnnotatedElement element) {
    Path path = element == null ? null : element.getAnnotation(Path.class);
    return path == null ? "" : "/" + path.value();
  }
}
