package dev.sandboxer.platform.dataplane;

import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import jakarta.enterprise.context.ApplicationScoped;

/** The listener speaks HTTP/1.1 alone: no client can switch a connection to another protocol. */
@ApplicationScoped
class ServerOptions implements HttpServerOptionsCustomizer {

  @Override
  public void customizeHttpServer(HttpServerOptions options) {
    options.setHttp2ClearTextEnabled(false);
  }

  @Override
  public void customizeHttpsServer(HttpServerOptions options) {
    options.setUseAlpn(false);
  }
}
