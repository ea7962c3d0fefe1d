package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.access.ServiceKeys;
import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.dataplane.ClientLine;
import dev.sandboxer.platform.installation.Settings;
import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * The routes of LangBot's Box client, where a control token is set: {@code /rpc/ws}, the WebSocket
 * of each managed process, {@code /healthz} and {@code /readyz}.
 */
@ApplicationScoped
class Door {

  private static final Logger LOG = Logger.getLogger(Door.class);
  private static final String KEY = "langbot";
  private static final int EARLY = -900;
  private static final int MOST_CONNECTIONS = 64;
  private static final int UNAUTHORIZED = 401;
  private static final int TOO_MANY = 429;
  private static final int UNAVAILABLE = 503;
  private static final int BAD_REQUEST = 400;

  private final ControlToken token;
  private final ServiceKeys keys;
  private final String tenant;
  private final Calls calls;
  private final Readiness readiness;
  private final ProcessDoor processes;
  private final AtomicInteger connections = new AtomicInteger();

  Door(
      ControlToken token,
      ServiceKeys keys,
      Settings settings,
      Calls calls,
      Readiness readiness,
      ProcessDoor processes) {
    this.token = token;
    this.keys = keys;
    this.tenant = settings.langBotTenant();
    this.calls = calls;
    this.readiness = readiness;
    this.processes = processes;
  }

  void mount(@Observes Router router) {
    if (!token.set()) {
      return;
    }
    router.get("/rpc/ws").order(EARLY).handler(this::rpc);
    router
        .get("/v1/sessions/:session/managed-process/:process/ws")
        .order(EARLY)
        .handler(this::process);
    router.get("/v1/sessions/:session/managed-process/ws").order(EARLY).handler(this::process);
    router.get("/healthz").order(EARLY).handler(this::live);
    router.get("/readyz").order(EARLY).handler(this::ready);
  }

  private void rpc(RoutingContext context) {
    authenticated(
        context,
        client -> {
          if (connections.incrementAndGet() > MOST_CONNECTIONS) {
            connections.decrementAndGet();
            refuse(context, UNAVAILABLE, "too many connections");
            return;
          }
          Context loop = context.vertx().getOrCreateContext();
          context
              .request()
              .toWebSocket()
              .onSuccess(
                  socket -> {
                    ClientLine line = new ClientLine(context.request().connection());
                    line.takenOver();
                    opened(socket, client, loop, line);
                  })
              .onFailure(failure -> connections.decrementAndGet());
        });
  }

  private void opened(ServerWebSocket socket, Client client, Context loop, ClientLine line) {
    LOG.infof("LangBot connected instance=%s address=%s", client.instance(), client.address());
    RpcConnection connection = new RpcConnection(socket, client, calls, loop, line);
    connection.start(
        () -> {
          connections.decrementAndGet();
          LOG.infof("LangBot disconnected instance=%s", client.instance());
        });
    KeepAlive.of(loop.owner(), socket, line, () -> {});
  }

  private void process(RoutingContext context) {
    authenticated(context, client -> processes.serve(context, client));
  }

  /** Goes on, on the request's event loop, with who knows the token. */
  private void authenticated(RoutingContext context, Consumer<Client> then) {
    HttpServerRequest request = context.request();
    request.pause();
    int wait = token.waitSeconds(request);
    if (wait > 0) {
      context.response().putHeader("Retry-After", Integer.toString(wait));
      refuse(context, TOO_MANY, "too many wrong tokens came from this address");
      return;
    }
    var instance = token.instance(request);
    if (instance.isEmpty()) {
      LOG.infof("LangBot refused address=%s", ClientAddress.of(request));
      refuse(context, UNAUTHORIZED, "Unauthorized");
      return;
    }
    if (!isWebSocket(request)) {
      refuse(context, BAD_REQUEST, "this route is a WebSocket");
      return;
    }
    later(
        context,
        () -> keys.ensure(tenant, KEY),
        principal -> then.accept(client(request, instance.get(), principal)));
  }

  private static Client client(HttpServerRequest request, String instance, Principal principal) {
    return new Client(instance, principal, ClientAddress.of(request));
  }

  private static boolean isWebSocket(HttpServerRequest request) {
    return "websocket".equalsIgnoreCase(request.getHeader(HttpHeaders.UPGRADE));
  }

  private static <T> void later(RoutingContext context, Callable<T> work, Consumer<T> then) {
    context
        .vertx()
        .executeBlocking(work, false)
        .onSuccess(then::accept)
        .onFailure(
            failure -> {
              LOG.errorf(failure, "a request of LangBot's client failed");
              refuse(context, UNAVAILABLE, "the platform is not ready");
            });
  }

  private void live(RoutingContext context) {
    json(context, 200, new JsonObject().put("live", true));
  }

  private void ready(RoutingContext context) {
    context.request().pause();
    later(
        context,
        () -> readiness.now(() -> keys.ensure(tenant, KEY)),
        state -> json(context, state.getBoolean("ready") ? 200 : UNAVAILABLE, state));
  }

  private static void json(RoutingContext context, int status, JsonObject body) {
    context.request().resume();
    context
        .response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .end(body.encode());
  }

  static void refuse(RoutingContext context, int status, String text) {
    context.request().resume();
    if (!context.response().ended()) {
      context
          .response()
          .setStatusCode(status)
          .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain")
          .end(text);
    }
  }
}
