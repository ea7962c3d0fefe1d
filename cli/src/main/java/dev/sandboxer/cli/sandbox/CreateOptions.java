package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Failure;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a new sandbox is to be: the options that every verb has which makes one. */
final class CreateOptions {
  @Option(
      names = {"-p", "--profile"},
      defaultValue = "local",
      paramLabel = "NAME",
      description = "The recipe (default: ${DEFAULT-VALUE}).")
  private String profile = "local";

  @Option(
      names = "--project",
      defaultValue = "cli",
      paramLabel = "NAME",
      description = "The project in the record (default: ${DEFAULT-VALUE}).")
  private String project = "cli";

  @Option(
      names = "--ttl",
      paramLabel = "SECONDS",
      description = "Destroy it after this time (default: the profile's).")
  private @Nullable Integer ttl;

  @Option(
      names = {"-l", "--label"},
      paramLabel = "K=V",
      description = "A label of the record; may be repeated.")
  private Map<String, String> labels = Map.of();

  @Option(
      names = "--input",
      paramLabel = "K=V",
      description = "What the profile declares under inputs; may be repeated.")
  private Map<String, String> inputs = Map.of();

  /** The recipe's name. */
  String profile() {
    return profile;
  }

  /** The body of a create. */
  ObjectNode body(ObjectMapper json) {
    ObjectNode body = json.createObjectNode().put("profile", profile);
    body.putObject("consumer").put("actor", "adm").put("project", project);
    if (ttl != null) {
      body.put("ttl_seconds", checked(ttl));
    }
    if (!labels.isEmpty()) {
      labels.forEach(body.putObject("labels")::put);
    }
    if (!inputs.isEmpty()) {
      inputs.forEach(body.putObject("inputs")::put);
    }
    return body;
  }

  private static int checked(int seconds) {
    if (seconds <= 0) {
      throw Failure.usage("--ttl " + seconds + " must be at least 1 second");
    }
    return seconds;
  }
}
