package dev.sandboxer.platform.api.langbot;

import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/**
 * WebSockets of this door: the client sends messages of up to 16 MiB. None are compressed, so that
 * no small message becomes a large one. The dataplane's WebSockets are not these.
 */
@ApplicationScoped
class WebSocketOptions implements HttpServerOptionsCustomizer {

  @Override
  public void customizeHttpServer(HttpServerOptions options) {
    set(options);
  }

  @Override
  public void customizeHttpsServer(HttpServerOptions options) {
    set(options);
  }

  private static void set(HttpServerOptions options) {
    options
        .setMaxWebSocketFrameSize(MessageFrames.MOST_BYTES)
        .setMaxWebSocketMessageSize(MessageFrames.MOST_BYTES)
        .setPerMessageWebSocketCompressionSupported(false)
        .setPerFrameWebSocketCompressionSupported(false)
        .setWebSocketSubProtocols(List.of(ProcessDoor.PROTOCOL));
  }
}
