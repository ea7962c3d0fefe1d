package dev.sandboxer.platform.api;

import dev.sandboxer.platform.access.ApiKeys;
import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.core.HttpHeaders;
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

  private final ApiKeys keys;
  private final Caller caller;
  private final Origins origins;

  KeyFilter(ApiKeys keys, Caller caller, Origins origins) {
    this.keys = keys;
    this.caller = caller;
    this.origins = origins;
  }

  @Override
  public void filter(ContainerRequestContext request) {
    Optional<String> key =
        Credentials.of(
            request.getHeaderString(HttpHeaders.AUTHORIZATION),
            request.getHeaderString("X-API-KEY"));
    if (key.isPresent()) {
      caller.set(authenticate(key.get()));
    } else if (!OPEN.contains(request.getUriInfo().getPath())) {
      var _ = caller.principal();
    }
    if (!READING.contains(request.getMethod())) {
      origins.check(request.getHeaderString("Origin"), request.getHeaderString("Host"));
      checkMediaType(request);
    }
  }

  private Principal authenticate(String key) {
    return keys.authenticate(key)
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.UNAUTHENTICATED, "the key is not valid, or was ended"));
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
