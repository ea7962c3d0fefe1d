package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.MountFields;
import dev.sandboxer.platform.api.RequestedMount;
import dev.sandboxer.platform.api.RoutingFields;
import dev.sandboxer.platform.api.RoutingSchemas;
import dev.sandboxer.platform.mount.MountRules;
import dev.sandboxer.platform.order.OrderRequest;
import dev.sandboxer.platform.pricing.Money;
import dev.sandboxer.platform.routing.RequestedRouting;
import dev.sandboxer.spi.Mount;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The body of {@code POST /v1/sandboxes}, checked. */
@Schema(
    name = "CreateSandbox",
    requiredProperties = {"profile", "consumer"})
public record CreateRequest(
    @Schema(description = "profile.<name> or <name>, optionally @version", examples = "local")
        String profile,
    ConsumerView consumer,
    @Schema(
            description = "time to live once ready; the profile's where absent",
            minimum = "1",
            maximum = "31622400",
            examples = "600")
        Optional<Long> ttlSeconds,
    @Schema(
            description =
                "at most 64: names of 1 to 63 of A-Za-z0-9._/-, texts of up to 256 characters")
        Map<String, String> labels,
    @Schema(description = "at most 64 of what the profile declares under inputs")
        Map<String, Object> inputs,
    @Schema(
            description =
                "environment of every command, at most 64 variables of up to 32768 characters; stored"
                    + " encrypted, never shown again")
        Map<String, String> env,
    @Schema(
            type = SchemaType.ARRAY,
            implementation = RequestedMount.class,
            description = "beside the profile's own; only what it allows under caller_mounts",
            maxItems = MountRules.MOST)
        List<Mount> mounts,
    @Schema(
            description =
                "where it may run, within what the profile allows; only where that says"
                    + " caller_routing: true",
            implementation = Object.class,
            anyOf = RoutingSchemas.Requested.class)
        Optional<RequestedRouting> routing,
    @Schema(
            description = "for its time to live; stands instead of the profile's",
            implementation = Object.class,
            anyOf = RoutingSchemas.MaxCost.class)
        Optional<Money> maxCost) {

  /** Also the OpenAPI document's: a test sends it. */
  public static final String EXAMPLE =
      """
      {"profile": "local", "consumer": {"actor": "adm", "project": "demo"}, "ttl_seconds": 600}""";

  /**
   * Reads it.
   *
   * @param body of the request
   * @return the request
   */
  public static CreateRequest read(Body body) {
    body.only(
        "profile",
        "consumer",
        "ttl_seconds",
        "labels",
        "inputs",
        "env",
        "mounts",
        "routing",
        "max_cost");
    return new CreateRequest(
        SandboxFields.profile(body),
        ConsumerView.read(body.object("consumer")),
        body.optionalNumber("ttl_seconds", 1, SandboxFields.MAX_SECONDS),
        SandboxFields.labels(body),
        Map.copyOf(SandboxFields.inputs(body)),
        SandboxFields.env(body),
        MountFields.mounts(body, "mounts"),
        RoutingFields.routing(body),
        RoutingFields.maxCost(body));
  }

  /**
   * What its sender orders.
   *
   * @param principal the sender's key
   * @return for {@code Orders}
   */
  public OrderRequest order(Principal principal) {
    Map<String, String> texts = new LinkedHashMap<>();
    inputs.forEach((name, value) -> texts.put(name, value.toString()));
    return new OrderRequest(
        principal.tenantId(),
        principal.keyId(),
        profile,
        texts,
        consumer.asConsumer(),
        new OrderRequest.Life.Ttl(ttlSeconds),
        labels,
        env,
        mounts,
        routing,
        maxCost);
  }
}
