package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The platform's own requests to the boxd of a sandbox that is ready or active, by the way and with
 * the token that the relay would use. Calls block; they are meant for virtual threads. A call is
 * use of the sandbox for as long as it lasts: it makes a ready sandbox active and keeps the sandbox
 * from being idle. It is cut when the sandbox ends.
 */
public final class SandboxCalls {

  private static final Logger LOG = Logger.getLogger(SandboxCalls.class);

  private final BlockingCalls calls;
  private final Upstream upstream;
  private final DataplaneTargets targets;
  private final OpenStreams streams;

  SandboxCalls(Vertx vertx, Upstream upstream, DataplaneTargets targets, OpenStreams streams) {
    this.calls = new BlockingCalls(vertx);
    this.upstream = upstream;
    this.targets = targets;
    this.streams = streams;
  }

  /**
   * Sends one request and returns what boxd answers, whatever its status is.
   *
   * @param sandboxId the sandbox's id
   * @param capability that the route wants
   * @param method such as {@code GET}
   * @param path from {@code /v1/} on, with its query, encoded
   * @param body JSON, null for none
   * @param limit how long the exchange may take
   * @param mostBytes of the answer's body, which is kept in memory
   * @return status and body; hostile input
   * @throws ProblemException INVALID_STATE if the sandbox is not there, neither ready nor active,
   *     or has no dataplane; RATE_LIMITED if too much is open to it; SANDBOX_UNREACHABLE if it does
   *     not answer, not in time, with more than {@code mostBytes}, not in HTTP, or ends meanwhile:
   *     the request may have taken effect then; VALIDATION if the path has blanks or control
   *     characters
   * @throws InterruptedException if the thread is interrupted; the exchange is then aborted
   */
  public Answer call(
      SandboxId sandboxId,
      Capability capability,
      String method,
      String path,
      @Nullable Buffer body,
      Duration limit,
      int mostBytes)
      throws InterruptedException {
    return exchange(
        target(sandboxId),
        new Request(capability, method, path, "application/json", body),
        limit,
        new ReplyCollector(mostBytes));
  }

  /**
   * Asks boxd something that the platform itself wants to know: no use of the sandbox, which stays
   * as idle as it is.
   *
   * @param sandboxId the sandbox's id
   * @param capability that the route wants
   * @param path from {@code /v1/} on, with its query, encoded
   * @param limit how long the exchange may take
   * @param mostBytes of the answer's body, which is kept in memory
   * @return status and body; hostile input
   * @throws ProblemException INVALID_STATE and SANDBOX_UNREACHABLE as for {@link #call}
   * @throws InterruptedException if the thread is interrupted
   */
  public Answer ask(
      SandboxId sandboxId, Capability capability, String path, Duration limit, int mostBytes)
      throws InterruptedException {
    Target target = target(sandboxId);
    Request request = new Request(capability, "GET", path, "application/json", null);
    ReplyCollector collector = new ReplyCollector(mostBytes);
    String requestId = RequestId.takeOrMake(null);
    RequestHead head = head(target, request, requestId);
    try {
      return calls.await(collector, limit, () -> begin(target, head, null, collector));
    } catch (WireException e) {
      throw unreachable(target, e);
    }
  }

  private static ProblemException unreachable(Target target, WireException cause) {
    return new ProblemException(
        ErrorCode.SANDBOX_UNREACHABLE,
        "sandbox " + target.sandboxId() + " cannot be reached: " + cause.reason());
  }

  /** The sandbox as it can be reached now. */
  Target target(SandboxId sandboxId) {
    return targets
        .find(sandboxId)
        .or(() -> targets.load(sandboxId))
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.INVALID_STATE,
                    "sandbox "
                        + sandboxId
                        + " is neither ready nor active, or has no dataplane; GET"
                        + " /v1/sandboxes/{id} says which"));
  }

  /** As {@link #call}, with a collector of its own. */
  <T> T exchange(Target target, Request request, Duration limit, Collector<T> collector)
      throws InterruptedException {
    targets.used(target);
    String requestId = RequestId.takeOrMake(null);
    RequestHead head = head(target, request, requestId);
    OpenCall open = new OpenCall(target, request.capability(), calls, collector);
    if (!streams.add(open)) {
      throw new ProblemException(
          ErrorCode.RATE_LIMITED, "too many open requests to sandbox " + target.sandboxId());
    }
    try {
      if (targets.ended(target, open.claims())) {
        // It ended between the look-up and the registration: nobody else would cut this call.
        throw new WireException(OpenCall.ENDED);
      }
      return calls.await(collector, limit, () -> begin(target, head, request.body(), collector));
    } catch (WireException e) {
      LOG.warnf(
          "call failed request_id=%s sandbox=%s generation=%d: %s",
          requestId, target.sandboxId(), target.generation(), e.reason());
      throw unreachable(target, e);
    } finally {
      streams.remove(open);
      targets.moved(target, request.bytes() + collector.received());
    }
  }

  private void begin(
      Target target, RequestHead head, @Nullable Buffer body, Collector<?> collector) {
    upstream.begin(
        target, head, collector, exchange -> collector.begin(exchange, body), collector::failed);
  }

  private RequestHead head(Target target, Request request, String requestId) {
    try {
      RequestHead head =
          upstream
              .head(request.method(), request.path(), target, request.capability(), requestId)
              .header("Accept", request.accept());
      return request.body() == null
          ? head
          : head.header("Content-Type", "application/json").length(request.bytes());
    } catch (WireException e) {
      throw new ProblemException(ErrorCode.VALIDATION, "the request has " + e.reason());
    }
  }

  /**
   * What to ask of boxd.
   *
   * @param capability that the route wants
   * @param method such as {@code GET}
   * @param path from {@code /v1/} on, with its query, encoded
   * @param accept the media type that is wanted
   * @param body JSON, null for none
   */
  record Request(
      Capability capability, String method, String path, String accept, @Nullable Buffer body) {

    int bytes() {
      return body == null ? 0 : body.length();
    }
  }
}
