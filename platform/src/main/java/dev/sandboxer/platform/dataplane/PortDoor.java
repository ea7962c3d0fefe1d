package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.MintedToken;
import dev.sandboxer.platform.token.TokenMinter;
import dev.sandboxer.platform.token.TokenVerifier;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Where a browser comes in to a port: a small page takes the ticket from behind the # of its URL,
 * out of the history as well, and posts it; the reply sets the cookie. No server, log or referrer
 * sees the ticket in a URL.
 */
final class PortDoor {

  /** The page. */
  static final String OPEN = "/.sandboxer/open";

  /** Below here nothing reaches the application. */
  static final String RESERVED = "/.sandboxer/";

  private static final Logger LOG = Logger.getLogger(PortDoor.class);
  private static final String SESSION = "/.sandboxer/session";
  private static final int NO_CONTENT = 204;

  private static final String SCRIPT =
      """
      (async () => {
        const given = new URLSearchParams(location.hash.slice(1));
        history.replaceState(null, '', location.pathname);
        const reply = await fetch('/.sandboxer/session', {
          method: 'POST',
          headers: {'Content-Type': 'application/json'},
          body: JSON.stringify({ticket: given.get('ticket') || ''}),
        });
        const path = given.get('path') || '/';
        if (reply.ok) location.replace(new URL(path, location.origin).origin === location.origin ? path : '/');
        else document.body.textContent = 'This link was used already, or is too old. Ask for a new one.';
      })();
      """;

  private static final String PAGE =
      "<!doctype html><meta charset=utf-8><title>Opening…</title><body>Opening…</body><script>"
          + SCRIPT
          + "</script>";

  private static final String POLICY =
      "default-src 'none'; connect-src 'self'; script-src 'sha256-"
          + sha256(SCRIPT)
          + "'; base-uri 'none'; frame-ancestors 'none'";

  private final Tickets tickets;
  private final TokenMinter minter;
  private final TokenVerifier limits;
  private final Admission admission;
  private final PortOrigins origins;

  PortDoor(
      Tickets tickets,
      TokenMinter minter,
      TokenVerifier limits,
      Admission admission,
      PortOrigins origins) {
    this.tickets = tickets;
    this.minter = minter;
    this.limits = limits;
    this.admission = admission;
    this.origins = origins;
  }

  /** The route that a port's tickets are bound to. */
  static String route(PortHost host) {
    return "port:" + host.port();
  }

  void serve(RoutingContext context, PortHost host) {
    HttpServerRequest request = context.request();
    String asked = request.method().name() + " " + request.uri();
    if (asked.equals("GET " + OPEN)) {
      page(request.response());
    } else if (asked.equals("POST " + SESSION)) {
      session(context, host);
    } else {
      Answers.problem(context, Problem.of(ErrorCode.NOT_FOUND, "nothing is here"));
    }
  }

  private static void page(HttpServerResponse response) {
    PortReplyHeaders.guard(response);
    response
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/html; charset=utf-8")
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
        .putHeader("Content-Security-Policy", POLICY)
        .putHeader("Referrer-Policy", "no-referrer")
        .putHeader("X-Content-Type-Options", "nosniff")
        .end(PAGE);
  }

  private void session(RoutingContext context, PortHost host) {
    HttpServerRequest request = context.request();
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    int wait = limits.waitSeconds(ClientAddress.of(request));
    if (wait > 0) {
      Answers.problem(context, Problem.of(ErrorCode.RATE_LIMITED, "try again in " + wait + " s"));
    } else if (!"application/json".equals(type)
        || (origin != null && !origin.equals(origins.origin(host, request)))) {
      refuse(context);
    } else {
      SmallBody.read(
          context.vertx(),
          request,
          body -> redeem(context, host, ticket(body)),
          problem -> Answers.problem(context, problem));
    }
  }

  private static @Nullable String ticket(Buffer body) {
    try {
      return new JsonObject(body).getValue("ticket") instanceof String text ? text : null;
    } catch (DecodeException e) {
      return null;
    }
  }

  private void redeem(RoutingContext context, PortHost host, @Nullable String value) {
    if (value == null) {
      refuse(context);
      return;
    }
    String origin = origins.origin(host, context.request());
    context
        .vertx()
        .executeBlocking(() -> tickets.redeem(value), false)
        .map(found -> found.filter(t -> t.fits(host.sandboxId(), route(host), origin)))
        .onSuccess(ticket -> admit(context, host, ticket))
        .onFailure(failure -> failed(context, failure));
  }

  private void admit(RoutingContext context, PortHost host, Optional<Ticket> ticket) {
    if (ticket.isEmpty()) {
      refuse(context);
      return;
    }
    admission.claims(
        ticket.get().claims(),
        outcome -> {
          if (outcome instanceof Admission.Outcome.Admitted admitted) {
            welcome(context, minter.portPass(admitted.claims(), host.port()));
          } else {
            refuse(context);
          }
        });
  }

  private void welcome(RoutingContext context, MintedToken pass) {
    HttpServerResponse response = context.request().response();
    if (!response.closed()) {
      boolean encrypted = origins.encrypted(context.request());
      response
          .setStatusCode(NO_CONTENT)
          .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
          .putHeader(
              HttpHeaders.SET_COOKIE,
              PortCookie.set(pass.value(), encrypted, TokenMinter.PORT_LIFE))
          .end();
    }
  }

  private void refuse(RoutingContext context) {
    limits.failed(ClientAddress.of(context.request()));
    Answers.problem(
        context,
        Problem.of(ErrorCode.UNAUTHENTICATED, "the ticket was used already, or is not good here"));
  }

  private static void failed(RoutingContext context, Throwable failure) {
    LOG.errorf(failure, "a ticket could not be looked up request_id=%s", RequestId.of(context));
    Answers.problem(context, Problem.of(ErrorCode.DATABASE_UNAVAILABLE, "try again in a moment"));
  }

  private static String sha256(String script) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK has no SHA-256", e);
    }
  }
}
