package dev.sandboxer.platform.api.mcp;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.KeyCheck;
import dev.sandboxer.platform.audit.AuditEntry;
import dev.sandboxer.platform.audit.AuditLog;
import dev.sandboxer.platform.box.BoxScope;
import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.dataplane.SandboxRequests;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.mcp.McpBoxes;
import dev.sandboxer.platform.pipeline.McpServer;
import dev.sandboxer.platform.pipeline.Pipelines;
import dev.sandboxer.platform.pipeline.StoredPipeline;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jboss.logging.Logger;

/**
 * Serves an MCP server of a pipeline to clients that have an API key: finds or makes the box, and
 * passes on to the boxd there, which speaks Streamable HTTP with them.
 */
@ApplicationScoped
class McpDoor {

  private static final Logger LOG = Logger.getLogger(McpDoor.class);
  private static final int EARLY = -900;
  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final Set<HttpMethod> METHODS =
      Set.of(HttpMethod.GET, HttpMethod.POST, HttpMethod.DELETE);

  private final KeyCheck keys;
  private final Pipelines pipelines;
  private final McpBoxes boxes;
  private final SandboxRequests requests;
  private final AuditLog audit;
  private final Clock clock;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  McpDoor(
      KeyCheck keys,
      Pipelines pipelines,
      McpBoxes boxes,
      SandboxRequests requests,
      AuditLog audit,
      Clock clock) {
    this.keys = keys;
    this.pipelines = pipelines;
    this.boxes = boxes;
    this.requests = requests;
    this.audit = audit;
    this.clock = clock;
  }

  void mount(@Observes Router router) {
    router.route("/v1/pipelines/:pipeline/mcp/:server").order(EARLY).handler(this::handle);
  }

  private void handle(RoutingContext context) {
    context.request().pause();
    Context loop = context.vertx().getOrCreateContext();
    threads.execute(
        () -> {
          try {
            SandboxRequests.Admitted admitted = admit(context);
            loop.runOnContext(on -> requests.forward(context, admitted));
          } catch (ProblemException e) {
            loop.runOnContext(on -> refuse(context, e.problem()));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } catch (RuntimeException e) {
            LOG.errorf(e, "an MCP request failed request_id=%s", RequestId.of(context));
            Problem failed = Problem.of(ErrorCode.INTERNAL, "this failed; the log says why");
            loop.runOnContext(on -> refuse(context, failed));
          }
        });
  }

  private void refuse(RoutingContext context, Problem problem) {
    problem.headers().forEach(context.response()::putHeader);
    requests.refuse(context, problem);
  }

  private SandboxRequests.Admitted admit(RoutingContext context) throws InterruptedException {
    HttpServerRequest request = context.request();
    Principal principal = authenticate(request);
    if (!requests.originAllowed(context)) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN, "pages of another origin may not call this platform");
    }
    if (!METHODS.contains(request.method())) {
      context.response().putHeader(HttpHeaders.ALLOW, "GET, POST, DELETE");
      throw new ProblemException(
          ErrorCode.METHOD_NOT_ALLOWED, "use POST, GET or DELETE, as MCP's Streamable HTTP does");
    }
    StoredPipeline stored = pipeline(principal, part(context, "pipeline"));
    McpServer server = server(stored, part(context, "server"));
    SandboxId sandbox = boxes.ready(stored, server, principal.keyId(), WAIT);
    if (request.method().equals(HttpMethod.POST) && request.getHeader("Mcp-Session-Id") == null) {
      audit.record(opened(context, principal, stored, sandbox));
    }
    return requests.admit(
        sandbox, Capability.PROCESS, principal.keyId(), "/v1/mcp/" + server.name());
  }

  private static String part(RoutingContext context, String name) {
    return Objects.requireNonNullElse(context.pathParam(name), "");
  }

  private Principal authenticate(HttpServerRequest request) {
    return keys.find(request)
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.UNAUTHENTICATED, "send a key as 'Authorization: Bearer sbxk_...'"));
  }

  /** One that a narrowed key may not use is not there for it. */
  private StoredPipeline pipeline(Principal principal, String id) {
    return pipelines
        .find(principal.tenantId(), id)
        .filter(stored -> allowed(principal, stored.pipeline().mcpScope()))
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.NOT_FOUND, "there is no pipeline '%s'".formatted(id)));
  }

  private static boolean allowed(Principal principal, BoxScope scope) {
    return principal.limits().allowsScope("box", scope.name());
  }

  private static McpServer server(StoredPipeline stored, String name) {
    return stored
        .pipeline()
        .mcpServer(name)
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.NOT_FOUND,
                    "pipeline '%s' has no MCP server '%s'"
                        .formatted(stored.pipeline().id(), name)));
  }

  private AuditEntry opened(
      RoutingContext context, Principal principal, StoredPipeline stored, SandboxId sandbox) {
    return new AuditEntry(
        0,
        clock.instant(),
        RequestId.of(context),
        principal.keyId(),
        principal.user(),
        principal.tenantId(),
        "pipeline",
        stored.pipeline().id(),
        null,
        sandbox.publicId(),
        "mcp.open",
        AuditEntry.OK,
        ClientAddress.of(context.request()));
  }
}
