package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A sandbox that stays until it is removed or its time is up. */
@Command(
    name = "create",
    description = "Create a sandbox, wait until it is ready and print its id.")
public final class CreateVerb extends Verb {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @Option(
      names = "--profile",
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
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description = "A variable for every command inside; may be repeated.")
  private Map<String, String> env = Map.of();

  @Option(
      names = {"-l", "--label"},
      paramLabel = "K=V",
      description = "A label of the record; may be repeated.")
  private Map<String, String> labels = Map.of();

  public CreateVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode sandbox = new Sandboxes(context().api()).create(body(), LIMIT, id -> {});
    if (json()) {
      print(sandbox);
    } else {
      context().console().result(Sandboxes.id(sandbox));
    }
    return ExitCode.OK;
  }

  private ObjectNode body() {
    ObjectNode body = CreateBody.of(context().json(), profile, project);
    if (ttl != null) {
      body.put("ttl_seconds", ttl);
    }
    if (!env.isEmpty()) {
      env.forEach(body.putObject("env")::put);
    }
    if (!labels.isEmpty()) {
      labels.forEach(body.putObject("labels")::put);
    }
    return body;
  }
}
