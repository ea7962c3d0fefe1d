package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.api.ThisMachine;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.smallrye.health.SmallRyeHealthReporter;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code GET /}: what there is. */
@Path("/")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "operations")
public class IndexResource {

  private final String version;

  private final ThisMachine thisMachine;
  private final SmallRyeHealthReporter health;
  private final IndexPage page = new IndexPage();

  IndexResource(
      @ConfigProperty(name = "quarkus.application.version") String version,
      ThisMachine thisMachine,
      SmallRyeHealthReporter health) {
    this.version = version;
    this.thisMachine = thisMachine;
    this.health = health;
  }

  @GET
  @Produces({MediaType.APPLICATION_JSON, MediaType.TEXT_HTML})
  @Operation(
      operationId = "index",
      summary = "What this is and where things are; needs no key",
      description = "A page for people where a browser asks for text/html.")
  public Response index(@HeaderParam("Accept") @Nullable String accept) {
    return accept != null && accept.contains(MediaType.TEXT_HTML)
        ? page.reply(version, ready(), thisMachine.only())
        : Response.ok(index(), MediaType.APPLICATION_JSON_TYPE).build();
  }

  private boolean ready() {
    return !health.getReadiness().isDown();
  }

  private Map<String, Object> index() {
    Map<String, String> links = new LinkedHashMap<>();
    links.put("sandboxes", "/v1/sandboxes");
    links.put("profiles", "/v1/profiles");
    links.put("extensions", "/v1/extensions");
    links.put("keys", "/v1/keys");
    links.put("tenants", "/v1/tenants");
    links.put("health", "/v1/health");
    links.put("ready", "/v1/health/ready");
    links.put("metrics", "/v1/metrics");
    links.put("openapi", "/v1/openapi");
    if (thisMachine.only()) {
      links.put("docs", "/docs");
    }
    links.put("jwks", "/.well-known/jwks.json");
    Map<String, Object> index = new LinkedHashMap<>();
    index.put("name", "sandboxer");
    index.put("version", version);
    index.put("hint", "send a key as 'Authorization: Bearer sbxk_...'");
    index.put("links", links);
    return index;
  }
}
