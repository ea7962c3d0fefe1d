package dev.sandboxer.platform.boot;

import dev.sandboxer.platform.installation.Settings;
import io.quarkus.vertx.http.HttpServer;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import java.net.URI;

/** Under which URL clients reach the platform; never taken from a request. */
@ApplicationScoped
public class PublicAddress {

  private final Settings settings;
  private final Instance<HttpServer> server;

  PublicAddress(Settings settings, Instance<HttpServer> server) {
    this.settings = settings;
    this.server = server;
  }

  /**
   * The base for HTTP.
   *
   * @return without a slash at its end
   */
  public String http() {
    return settings.publicUrl().map(URI::toString).map(PublicAddress::trimmed).orElseGet(this::local);
  }

  /**
   * The base for WebSockets.
   *
   * @return without a slash at its end
   */
  public String webSocket() {
    return "ws" + http().substring("http".length());
  }

  /**
   * The address that the process itself listens on.
   *
   * @return without a slash at its end
   */
  public String local() {
    boolean encrypted = settings.tls().isPresent();
    int port = encrypted ? server.get().getSecurePort() : server.get().getPort();
    return trimmed(settings.listen().url(encrypted ? "https" : "http", port));
  }

  private static String trimmed(String url) {
    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }
}
