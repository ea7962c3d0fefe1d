package dev.sandboxer.cli.host;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Changes what is known of a host. */
@Command(
    name = "change",
    description = "Change what is given of a host, and keep the rest; K= removes K.")
final class ChangeHostVerb extends HostsVerb.One {
  @Mixin private final HostOptions options = new HostOptions();

  ChangeHostVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    ObjectNode change = empty();
    options.into(change, context().json());
    if (change.isEmpty()) {
      throw Failure.usage(
          "nothing to change was given, such as --setting host_key='[\"SHA256:…\"]'");
    }
    JsonNode now = context().api().get(path());
    change.properties().forEach(one -> keep(now.path(one.getKey()), one.getValue()));
    JsonNode host = context().api().call("PATCH", path(), change, Map.of()).body();
    if (json()) {
      print(host);
    } else {
      context().console().result(host.path("name").asText() + " changed");
      context().console().tell("the platform probes it now; see sandboxer hosts");
    }
    return ExitCode.OK;
  }

  /** The API replaces an object as a whole. */
  private static void keep(JsonNode now, JsonNode change) {
    if (change instanceof ObjectNode fields) {
      now.properties().stream()
          .filter(one -> !fields.has(one.getKey()) && !one.getValue().isNull())
          .forEach(one -> fields.set(one.getKey(), one.getValue()));
      fields.removeIf(value -> value.isTextual() && value.textValue().isEmpty());
    }
  }
}
