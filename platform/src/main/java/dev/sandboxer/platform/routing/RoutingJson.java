package dev.sandboxer.platform.routing;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.sandbox.Sandbox;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How a sandbox is to be routed, as its row has it. */
@ApplicationScoped
public class RoutingJson {

  private final ObjectMapper json;

  RoutingJson(ObjectMapper json) {
    this.json = json.copy().addMixIn(ExtensionId.class, AsText.class);
  }

  /**
   * Writes it.
   *
   * @param routing of an order
   * @return JSON
   */
  public String text(Routing routing) {
    try {
      return json.writeValueAsString(routing);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("routing cannot be written as JSON", e);
    }
  }

  /**
   * Reads it.
   *
   * @param sandbox one of an earlier release has only its backends
   * @return how it is to be routed
   */
  public Routing of(Sandbox sandbox) {
    @Nullable String text = sandbox.routing();
    if (text == null) {
      return Routing.of(sandbox.candidates());
    }
    try {
      return json.readValue(text, Routing.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("stored routing cannot be read", e);
    }
  }

  /**
   * What is to be placed when a sandbox is established again.
   *
   * @param sandbox as read
   * @return for the planner
   */
  public RouteQuery query(Sandbox sandbox) {
    Map<String, String> labels = new LinkedHashMap<>(sandbox.spec().labels());
    labels.putAll(sandbox.labels());
    return new RouteQuery(
        sandbox.tenantId(),
        sandbox.spec(),
        of(sandbox),
        labels,
        Duration.ofSeconds(sandbox.ttlSeconds()));
  }

  /** The text alone instead of an object. */
  private interface AsText {
    @JsonValue
    String text();
  }
}
