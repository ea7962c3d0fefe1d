package dev.sandboxer.platform.api;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.ext.Provider;
import java.util.Optional;
import java.util.Set;

/**
 * Stands before every resource: a key (both header forms are taken) must be right where one comes,
 * and must come everywhere but on {@link #OPEN} paths; a body must be JSON; a foreign origin may
 * not change anything.
 */
@Provider
@ApplicationScoped
class KeyFilter implements ContainerRequestFilter {

  private static final Set<String> OPEN =
      Set.of("/", "/v1/health", "/v1/health/live", "/v1/health/ready", "/.well-known/jwks.json");

  /** Their bodies are no JSON; a browser asks before it sends such a type to another origin. */
  private static final Set<String> BYTES = Set.of("/v1/archives");

  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

  private final KeyCheck keys;
  private final Caller caller;
  private final Origins origins;
  private final RoutingContext routing;

  KeyFilter(KeyCheck keys, Caller caller, Origins origins, RoutingContext routing) {
    this.routing = routing;
    this.keys = keys;
    this.caller = caller;
    this.origins = origins;
  }

  @Override
  public void filter(ContainerRequestContext request) {
    Optional<Principal> principal = keys.find(routing.request());
    if (principal.isPresent()) {
      caller.set(principal.get());
    } else if (!OPEN.contains(request.getUriInfo().getPath())) {
      var _ = caller.principal();
    }
    if (!READING.contains(request.getMethod())) {
      origins.check(request.getHeaderString("Origin"), request.getHeaderString("Host"));
      checkMediaType(request);
    }
  }

  private static void checkMediaType(ContainerRequestContext request) {
    MediaType type = request.getMediaType();
    MediaType wanted =
        BYTES.contains(request.getUriInfo().getPath())
            ? MediaType.APPLICATION_OCTET_STREAM_TYPE
            : MediaType.APPLICATION_JSON_TYPE;
    boolean right = type != null && type.isCompatible(wanted);
    boolean empty = type == null && request.getLength() <= 0 && !chunked(request);
    if (!right && !empty) {
      throw new ProblemException(
          ErrorCode.UNSUPPORTED_MEDIA_TYPE,
          "Content-Type is '%s'; it must be %s".formatted(type, wanted));
    }
  }

  private static boolean chunked(ContainerRequestContext request) {
    return request.getHeaderString("Transfer-Encoding") != null;
  }
}
