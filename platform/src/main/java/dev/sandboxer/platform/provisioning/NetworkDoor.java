package dev.sandboxer.platform.provisioning;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.egress.EgressFigures;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.token.PeerCheck;
import dev.sandboxer.platform.token.Verdict;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Objects;
import java.util.Optional;

/** Answers other nodes what the programs of a sandbox have moved whose way out is here. */
@ApplicationScoped
class NetworkDoor {

  private static final String PREFIX = "/internal/v1/network/";
  private static final String BEARER = "Bearer ";
  private static final int UNAUTHENTICATED = 401;
  private static final int NOT_FOUND = 404;

  private final PeerCheck tokens;
  private final WaysOut ways;
  private final ObjectMapper json;

  NetworkDoor(PeerCheck tokens, WaysOut ways, ObjectMapper json) {
    this.tokens = tokens;
    this.ways = ways;
    this.json = json;
  }

  static String path(SandboxId id, int generation) {
    return PREFIX + id.raw() + "/" + generation;
  }

  void mount(@Observes Router router) {
    router
        .getWithRegex(PREFIX + "(?<sandbox>[a-z][a-z0-9]{19})/(?<generation>[1-9][0-9]{0,8})")
        .handler(this::handle);
  }

  private void handle(RoutingContext context) {
    SandboxId id = new SandboxId(Objects.requireNonNull(context.pathParam("sandbox")));
    int generation = Integer.parseInt(Objects.requireNonNull(context.pathParam("generation")));
    String header = context.request().getHeader(HttpHeaders.AUTHORIZATION);
    String token =
        header == null || !header.startsWith(BEARER) ? null : header.substring(BEARER.length());
    Verdict verdict = tokens.verify(token, id, generation, ClientAddress.of(context.request()));
    Optional<EgressFigures> figures = ways.figures(id);
    if (!(verdict instanceof Verdict.Accepted)) {
      context.response().setStatusCode(UNAUTHENTICATED).end();
    } else if (figures.isEmpty()) {
      context.response().setStatusCode(NOT_FOUND).end();
    } else {
      context.response().putHeader("Content-Type", "application/json").end(text(figures.get()));
    }
  }

  private String text(EgressFigures figures) {
    try {
      return json.writeValueAsString(figures);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("figures can be written", e);
    }
  }
}
