package dev.sandboxer.platform.api.explorer;

import dev.sandboxer.platform.api.ThisMachine;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;

/**
 * Serves {@code /docs}: Swagger UI's own files and a page that asks for a key. It holds nothing of
 * the installation: the OpenAPI document and each call want the key, which stays in the page's
 * memory. Where others than this machine may reach the platform, the path is not there.
 */
@ApplicationScoped
class Explorer {

  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";

  /** What may be asked for, and its type: nothing else of the class path can be. */
  private static final Map<String, String> TYPES =
      Map.of(
          "index.html", "text/html; charset=utf-8",
          "explorer.js", SCRIPT,
          "explorer.css", STYLE,
          "swagger-ui-bundle.js", SCRIPT,
          "swagger-ui.css", STYLE);

  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self'"
          + " data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors"
          + " 'none'";

  private final ThisMachine thisMachine;

  Explorer(ThisMachine thisMachine) {
    this.thisMachine = thisMachine;
  }

  void mount(@Observes Router router) {
    router.get("/docs").handler(context -> serve(context, "index.html"));
    TYPES
        .keySet()
        .forEach(file -> router.get("/docs/" + file).handler(context -> serve(context, file)));
  }

  private void serve(RoutingContext context, String file) {
    if (!thisMachine.calls(context.request().getHeader("Host"))) {
      context.next();
      return;
    }
    context
        .response()
        .putHeader("Content-Type", TYPES.get(file))
        .putHeader("Content-Security-Policy", POLICY)
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("Cross-Origin-Opener-Policy", "same-origin")
        .putHeader("Cross-Origin-Resource-Policy", "same-origin")
        .putHeader("Referrer-Policy", "no-referrer")
        .putHeader("Cache-Control", "no-cache")
        .end(bytes(file));
  }

  private static Buffer bytes(String file) {
    try (InputStream stream =
        Objects.requireNonNull(Explorer.class.getResourceAsStream("/explorer/" + file))) {
      return Buffer.buffer(stream.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
