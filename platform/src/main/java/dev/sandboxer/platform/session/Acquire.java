package dev.sandboxer.platform.session;

import dev.sandboxer.platform.idempotency.IdempotencyKey;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Consumer;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The grant protocol's request: the server's strategy decides which scope it is about. */
@ApplicationScoped
public class Acquire {

  private final SessionSettings settings;

  Acquire(SessionSettings settings) {
    this.settings = settings;
  }

  /**
   * What a client says about itself.
   *
   * @param threadId its thread
   * @param assistantId empty if it named none
   * @param runId empty if it named none
   */
  public record Request(String threadId, Optional<String> assistantId, Optional<String> runId) {}

  /**
   * Turns a request into a request.
   *
   * @param onBehalfOf who asks
   * @param request what it named
   * @param key of a repetition, null if none was sent
   * @param patience how long to wait for the sandbox
   * @param warnings what of the request was ignored
   * @return for the scope that the strategy names
   * @throws ProblemException VALIDATION if the strategy needs what was not named
   */
  public RequestedSession requested(
      OnBehalfOf onBehalfOf,
      Request request,
      @Nullable IdempotencyKey key,
      Duration patience,
      List<String> warnings) {
    return new RequestedSession(
        onBehalfOf,
        ProtocolDialect.SHORT,
        scope(onBehalfOf, request),
        request.threadId(),
        request.runId().orElse(null),
        Mode.ENSURE,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        new Consumer("agt", "sessions", null, null, Map.of()),
        key,
        patience,
        warnings);
  }

  private Scope scope(OnBehalfOf onBehalfOf, Request request) {
    Strategy strategy = settings.strategy();
    String id =
        switch (strategy) {
          case THREAD -> request.threadId();
          case ASSISTANT -> request.assistantId().orElseThrow(() -> missing("assistant_id"));
          case USER -> onBehalfOf.user();
          case RUN -> request.runId().orElseThrow(() -> missing("run_id"));
        };
    return new Scope(strategy.scope(), id);
  }

  private ProblemException missing(String field) {
    return new ProblemException(
        ErrorCode.VALIDATION,
        "field '%s' is missing: this server binds a sandbox to each %s"
            .formatted(field, settings.strategy().scope().text()));
  }
}
