package dev.sandboxer.platform.api;

import dev.sandboxer.platform.database.NulCharacter;
import dev.sandboxer.platform.database.Unavailability;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.problem.RequestId;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.NotAllowedException;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Every failure of a resource as one problem body. */
@ApplicationScoped
class Failures {

  private static final Logger LOG = Logger.getLogger(Failures.class);

  private final RoutingContext request;
  private final AuditedAction audited;
  private final AllowedMethods methods;

  Failures(RoutingContext request, AuditedAction audited, AllowedMethods methods) {
    this.methods = methods;
    this.audited = audited;
    this.request = request;
  }

  @ServerExceptionMapper
  Response problem(ProblemException e) {
    return reply(e.problem());
  }

  @ServerExceptionMapper
  Response notFound(NotFoundException e) {
    return reply(
        Problem.of(
            ErrorCode.NOT_FOUND,
            "there is no %s %s; GET / lists what there is"
                .formatted(request.request().method(), request.request().path())));
  }

  @ServerExceptionMapper
  Response notAllowed(NotAllowedException e) {
    String path = request.normalizedPath();
    String allowed = methods.of(path);
    request.response().putHeader("Allow", allowed);
    return reply(
        Problem.of(
            ErrorCode.METHOD_NOT_ALLOWED,
            "%s cannot be used with %s; use %s"
                .formatted(request.request().method(), path, allowed)));
  }

  @ServerExceptionMapper
  Response web(WebApplicationException e) {
    ErrorCode code =
        switch (e.getResponse().getStatus()) {
          case 400 -> ErrorCode.VALIDATION;
          case 406, 404 -> ErrorCode.NOT_FOUND;
          case 413 -> ErrorCode.TOO_LARGE;
          case 415 -> ErrorCode.UNSUPPORTED_MEDIA_TYPE;
          default -> ErrorCode.INTERNAL;
        };
    return reply(Problem.of(code, String.valueOf(e.getMessage())));
  }

  @ServerExceptionMapper
  Response anything(Exception e) {
    Optional<Unavailability> database = Unavailability.of(e);
    if (database.isPresent()) {
      LOG.warnf("database unavailable request=%s reason=%s", RequestId.of(request), e.getMessage());
      return reply(unavailable(database.get()));
    }
    if (NulCharacter.isCauseOf(e)) {
      return reply(Problem.of(ErrorCode.VALIDATION, "a text of the request has a NUL character"));
    }
    LOG.errorf(
        e, "request failed request=%s path=%s", RequestId.of(request), request.request().path());
    return reply(
        Problem.of(
            ErrorCode.INTERNAL,
            "an error that the platform did not expect; its log has it under request "
                + RequestId.of(request)));
  }

  private static Problem unavailable(Unavailability why) {
    return switch (why) {
      case AWAY ->
          Problem.of(
              ErrorCode.DATABASE_UNAVAILABLE, "the database does not answer; try again shortly");
      case FULL ->
          Problem.of(ErrorCode.STORAGE_FULL, "the database has no space left; nothing was written");
    };
  }

  private Response reply(Problem problem) {
    audited.failed(problem.code().name());
    String requestId = RequestId.of(request);
    Response.ResponseBuilder reply =
        Response.status(problem.status())
            .type(Problem.MEDIA_TYPE)
            .header("Cache-Control", "no-store")
            .entity(problem.json(requestId));
    problem.headers().forEach(reply::header);
    return reply.build();
  }
}
