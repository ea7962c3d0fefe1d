package dev.sandboxer.platform.boot;

import dev.sandboxer.platform.installation.Settings;
import io.quarkus.vertx.http.HttpServer;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where clients reach the platform: as configured, never as a request's Host says. */
@ApplicationScoped
public class PublicAddress {

  private final Settings settings;
  private final Instance<HttpServer> server;
  private volatile @Nullable String http;

  PublicAddress(Settings settings, Instance<HttpServer> server) {
    this.settings = settings;
    this.server = server;
  }

  /**
   * The base of all HTTP URLs: {@code SANDBOXER_PUBLIC_URL}, else {@link #local()}. Not before the
   * listener is bound.
   *
   * @return without a slash at the end
   */
  public String http() {
    String known = http;
    if (known == null) {
      known = settings.publicUrl().map(URI::toString).orElseGet(this::local).replaceAll("/+$", "");
      http = known;
    }
    return known;
  }

  /**
   * The base of all WebSocket URLs.
   *
   * @return without a slash at the end
   */
  public String webSocket() {
    return "ws" + http().substring("http".length());
  }

  /**
   * The URL for other nodes: {@code SANDBOXER_INTERNAL_URL}, else {@link #local()} where that is
   * not the address of every network.
   *
   * @return without a slash at the end; empty if nobody said where this node is
   */
  public Optional<String> internal() {
    Optional<String> configured = settings.internalUrl().map(URI::toString);
    return settings.listen().everywhere()
        ? configured
        : Optional.of(configured.orElseGet(this::local));
  }

  /**
   * Where a sandbox's own routes are.
   *
   * @param sandbox {@code sb_...}
   * @return its coordinates, for a grant
   */
  public Coordinates ofSandbox(String sandbox) {
    String path = "/dp/" + sandbox + "/v1";
    return new Coordinates(http() + path, webSocket() + path);
  }

  /**
   * The URL for clients on this machine, with the port that was bound.
   *
   * @return without a slash at the end
   */
  public String local() {
    boolean encrypted = settings.tls().isPresent();
    int port = encrypted ? server.get().getSecurePort() : server.get().getPort();
    return settings.listen().url(encrypted ? "https" : "http", port);
  }

  /**
   * Where a sandbox's own routes are.
   *
   * @param http base of its HTTP routes
   * @param webSocket base of its WebSockets
   */
  public record Coordinates(String http, String webSocket) {}
}
