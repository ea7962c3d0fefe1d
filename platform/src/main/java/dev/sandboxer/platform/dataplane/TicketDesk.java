package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.Admission.Outcome;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Hands out tickets to holders of a token: for a WebSocket of a page, or for a port in a browser.
 */
final class TicketDesk {

  private static final Logger LOG = Logger.getLogger(TicketDesk.class);
  private static final Set<String> FIELDS = Set.of("route", "origin", "port", "path");
  private static final JsonObject EXAMPLE = new JsonObject().put("route", "/exec/ws");
  private static final int MAX_PORT = 65_535;
  private static final int CREATED = 201;

  private final Tickets tickets;
  private final PortOrigins ports;
  private final HostRule hosts;
  private final RelayMetrics metrics;

  TicketDesk(Tickets tickets, PortOrigins ports, HostRule hosts, RelayMetrics metrics) {
    this.tickets = tickets;
    this.ports = ports;
    this.hosts = hosts;
    this.metrics = metrics;
  }

  /** A request that can be fulfilled. */
  private record RequestedTicket(Ticket ticket, Optional<String> door, String path) {}

  void serve(RoutingContext context, Outcome.Admitted admitted) {
    String type = context.request().getHeader(HttpHeaders.CONTENT_TYPE);
    if (type == null || !type.toLowerCase(java.util.Locale.ROOT).startsWith("application/json")) {
      answer(
          context,
          Problem.of(
              ErrorCode.UNSUPPORTED_MEDIA_TYPE, "send JSON, Content-Type: application/json"));
      return;
    }
    SmallBody.read(
        context.vertx(),
        context.request(),
        body -> read(context, admitted, body),
        problem -> answer(context, problem));
  }

  private void read(RoutingContext context, Outcome.Admitted admitted, Buffer body) {
    RequestedTicket requested;
    try {
      requested = requested(context.request(), admitted, new JsonObject(body));
    } catch (DecodeException e) {
      answer(context, invalid("the body is no JSON object"));
      return;
    } catch (RefusedWish e) {
      answer(context, e.problem);
      return;
    }
    String tenant = admitted.target().tenantId();
    context
        .vertx()
        .executeBlocking(() -> tickets.issue(tenant, requested.ticket()), false)
        .onSuccess(issued -> answer(context, requested, issued))
        .onFailure(failure -> failed(context, failure));
  }

  private RequestedTicket requested(
      HttpServerRequest request, Outcome.Admitted admitted, JsonObject json) throws RefusedWish {
    Set<String> unknown = new TreeSet<>(json.fieldNames());
    unknown.removeAll(FIELDS);
    if (!unknown.isEmpty()) {
      throw new RefusedWish(
          invalid(
              "unknown fields "
                  + String.join(", ", unknown)
                  + "; there are route, origin,"
                  + " port and path"));
    }
    return json.containsKey("port")
        ? ticketOfPort(request, admitted, json)
        : ticketOfRoute(request, admitted, json);
  }

  private RequestedTicket ticketOfRoute(
      HttpServerRequest request, Outcome.Admitted admitted, JsonObject json) throws RefusedWish {
    String route = text(json, "route");
    Optional<DataplaneRoute> found =
        route == null ? Optional.empty() : DataplaneRoute.find("/v1" + route);
    if (found.isEmpty()
        || found.get().kind() != DataplaneRoute.Kind.FRAMES
        || json.containsKey("path")) {
      throw new RefusedWish(
          invalid(
              "field 'route' must be a WebSocket of the dataplane, such as /exec/ws, /shell/ws or"
                  + " /processes/p1/attach; or give 'port' for a port in a browser"));
    }
    Capability capability = granted(admitted, found.get().capability());
    String named = text(json, "origin");
    String origin = named == null ? request.getHeader(HttpHeaders.ORIGIN) : named;
    if (origin != null && !hosts.originAllowed(request, origin)) {
      throw new RefusedWish(
          Problem.of(
              ErrorCode.FORBIDDEN,
              "pages of that origin may not call; the operator lists origins in"
                  + " SANDBOXER_CORS_ORIGINS"));
    }
    Ticket ticket = Ticket.of(admitted.claims(), capability, found.get().path(), origin);
    return new RequestedTicket(ticket, Optional.empty(), "");
  }

  private RequestedTicket ticketOfPort(
      HttpServerRequest request, Outcome.Admitted admitted, JsonObject json) throws RefusedWish {
    String path = json.containsKey("path") ? text(json, "path") : "/";
    boolean numbered = json.getValue("port") instanceof Integer n && n >= 1 && n <= MAX_PORT;
    if (!numbered
        || path == null
        || !path.startsWith("/")
        || path.startsWith("//")
        || json.containsKey("route")
        || json.containsKey("origin")) {
      throw new RefusedWish(
          invalid("'port' must be from 1 to 65535, 'path' begin with one /, and stand alone"));
    }
    Capability capability = granted(admitted, Capability.PORT);
    PortHost host = new PortHost(json.getInteger("port"), admitted.target().sandboxId());
    String origin = ports.origin(host, request);
    Ticket ticket = Ticket.of(admitted.claims(), capability, PortDoor.route(host), origin);
    return new RequestedTicket(ticket, Optional.of(origin), path);
  }

  private static Capability granted(Outcome.Admitted admitted, @Nullable Capability needed)
      throws RefusedWish {
    if (needed == null || !admitted.claims().capabilities().contains(needed)) {
      String name = needed == null ? "for this" : needed.wireName();
      throw new RefusedWish(
          Problem.of(ErrorCode.CAPABILITY_DENIED, "the token lacks the capability " + name)
              .with("capability", name));
    }
    return needed;
  }

  private static @Nullable String text(JsonObject json, String name) {
    return json.getValue(name) instanceof String text ? text : null;
  }

  private static Problem invalid(String detail) {
    return Problem.of(ErrorCode.VALIDATION, detail).with("example", EXAMPLE.getMap());
  }

  private void answer(
      RoutingContext context, RequestedTicket requested, Optional<Ticket.Issued> issued) {
    if (issued.isEmpty()) {
      answer(
          context,
          Problem.of(ErrorCode.RATE_LIMITED, "64 tickets of this sandbox wait to be used"));
      return;
    }
    JsonObject reply =
        new JsonObject()
            .put("ticket", issued.get().value())
            .put("expires_at", issued.get().expiresAt().toString());
    requested
        .door()
        .ifPresent(origin -> reply.put("url", url(origin, issued.get().value(), requested.path())));
    metrics.replied(CREATED);
    Answers.json(context, CREATED, reply);
  }

  /** The ticket stands behind the #, which browsers send to nobody. */
  private static String url(String origin, String ticket, String path) {
    return origin
        + PortDoor.OPEN
        + "#ticket="
        + ticket
        + "&path="
        + URLEncoder.encode(path, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private void failed(RoutingContext context, Throwable failure) {
    LOG.errorf(failure, "no ticket could be made request_id=%s", RequestId.of(context));
    answer(context, Problem.of(ErrorCode.DATABASE_UNAVAILABLE, "try again in a moment"));
  }

  private void answer(RoutingContext context, Problem problem) {
    metrics.replied(problem.status());
    Answers.problem(context, problem);
  }

  /** A request that cannot be fulfilled. */
  private static final class RefusedWish extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    RefusedWish(Problem problem) {
      super(problem.detail(), null, false, false);
      this.problem = problem;
    }
  }
}
