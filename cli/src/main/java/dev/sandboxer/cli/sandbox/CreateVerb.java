package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.cli.terminal.Escapes;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A sandbox that stays until it is removed or its time is up. */
@Command(
    name = "create",
    description = "Create a sandbox, wait until it is ready and print its id.")
public final class CreateVerb extends Verb {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @Mixin private final CreateOptions options = new CreateOptions();

  @Mixin private final StoredVariables env = new StoredVariables();

  public CreateVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    options.check(context().api());
    ObjectNode body = options.body(context().json());
    env.putInto(body);
    JsonNode sandbox = new Sandboxes(context().api()).create(body, LIMIT, id -> {}, this::progress);
    if (json()) {
      print(sandbox);
    } else {
      context().console().result(Sandboxes.id(sandbox));
    }
    return ExitCode.OK;
  }

  private void progress(String line) {
    if (!json()) {
      context().console().tell(Escapes.visible(line));
    }
  }
}
