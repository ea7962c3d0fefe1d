package dev.sandboxer.platform.provisioning;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.egress.EgressFigures;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.installation.Authorities;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.token.TokenMinter;
import dev.sandboxer.spi.NetworkMode;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * What the programs of sandboxes have moved through the proxy. The node that keeps the way out of a
 * sandbox has its figures in memory; the others ask it.
 */
@ApplicationScoped
public class NetworkFigures {

  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private static final String KEEPER =
      """
      select n.id, n.internal_url, n.lease_until > clock_timestamp() as up
      from sandbox s join attempt a on a.id = s.attempt_id join host h on h.id = a.host_id
        join node n on n.id = coalesce(h.node_id, a.node_id)
      where s.id = :id and n.id <> :here
      """;

  private final WaysOut ways;
  private final Jdbi jdbi;
  private final Hosts hosts;
  private final TokenMinter minter;
  private final ObjectMapper json;
  private final HttpClient client;

  NetworkFigures(
      WaysOut ways,
      Jdbi jdbi,
      Hosts hosts,
      TokenMinter minter,
      ObjectMapper json,
      Settings settings) {
    this.ways = ways;
    this.jdbi = jdbi;
    this.hosts = hosts;
    this.minter = minter;
    this.json = json;
    this.client = Authorities.client(settings.authorities(), LIMIT);
  }

  private record Keeper(String node, @Nullable String url, boolean up) {

    private static Keeper of(ResultSet row) throws SQLException {
      return new Keeper(row.getString("id"), row.getString("internal_url"), row.getBoolean("up"));
    }
  }

  /**
   * The figures of a sandbox.
   *
   * @param sandbox that is ready or active
   * @return empty if it has no way out through the proxy
   * @throws ProblemException INVALID_STATE if it is neither ready nor active, SANDBOX_UNREACHABLE
   *     if the node that has the figures does not answer
   * @throws InterruptedException if the thread is interrupted
   */
  public Optional<EgressFigures> of(Sandbox sandbox) throws InterruptedException {
    if (!sandbox.state().reachable()) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "sandbox %s is %s; its figures are there while it is ready or active"
              .formatted(sandbox.publicId(), sandbox.state().text()));
    }
    Optional<EgressFigures> here = ways.figures(sandbox.id());
    if (here.isPresent() || sandbox.spec().network().mode() == NetworkMode.NONE) {
      return here;
    }
    Optional<Keeper> keeper =
        jdbi.withHandle(
            open ->
                open.createQuery(KEEPER)
                    .bind("id", sandbox.id())
                    .bind("here", hosts.node().id())
                    .map((row, _) -> Keeper.of(row))
                    .findOne());
    return keeper.isPresent() ? ask(sandbox, keeper.get()) : Optional.empty();
  }

  private Optional<EgressFigures> ask(Sandbox sandbox, Keeper keeper) throws InterruptedException {
    if (!keeper.up()) {
      throw unreachable(keeper, "does not run");
    }
    if (keeper.url() == null) {
      throw unreachable(keeper, "has no SANDBOXER_INTERNAL_URL for other nodes");
    }
    String token = minter.peer(keeper.node(), sandbox.id(), sandbox.generation()).value();
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(keeper.url())
                    .resolve(NetworkDoor.path(sandbox.id(), sandbox.generation())))
            .timeout(LIMIT)
            .header("Authorization", "Bearer " + token)
            .build();
    try {
      HttpResponse<String> reply = client.send(request, BodyHandlers.ofString());
      return switch (reply.statusCode()) {
        case OK -> Optional.of(json.readValue(reply.body(), EgressFigures.class));
        case NOT_FOUND -> Optional.empty();
        default -> throw unreachable(keeper, "answers with status " + reply.statusCode());
      };
    } catch (JsonProcessingException e) {
      throw unreachable(keeper, "answers with something else");
    } catch (IOException e) {
      throw unreachable(keeper, "does not answer: " + e);
    }
  }

  private static ProblemException unreachable(Keeper keeper, String what) {
    return new ProblemException(
        ErrorCode.SANDBOX_UNREACHABLE,
        "its figures are on the node '%s', which %s".formatted(keeper.node(), what));
  }
}
