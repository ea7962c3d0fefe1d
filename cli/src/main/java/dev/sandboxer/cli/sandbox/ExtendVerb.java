package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.TimeSpan;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.Spans;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** A sandbox that is to live longer. */
@Command(
    name = "extend-ttl",
    description = "Let a sandbox live for a time from now on, at most to its hard limit.")
public final class ExtendVerb extends Verb {
  @Parameters(
      index = "0",
      paramLabel = "SANDBOX",
      description = "Its id, the beginning of one, or its name.")
  private String id = "";

  @Parameters(
      index = "1",
      paramLabel = "TIME",
      converter = TimeSpan.class,
      description = "Seconds, or such as 30m or 2h.")
  private Duration ttl = Duration.ZERO;

  public ExtendVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode sandbox = new Sandboxes(context().api()).extendTtl(context().sandbox(id), ttl);
    if (json()) {
      print(sandbox);
      return ExitCode.OK;
    }
    context()
        .console()
        .result(
            Sandboxes.id(sandbox)
                + " ends in "
                + Spans.until(sandbox.path("expires_at").asText(), context().clock().instant()));
    for (JsonNode warning : sandbox.path("warnings")) {
      context().console().tell("warning: " + Escapes.visible(warning.asText()));
    }
    return ExitCode.OK;
  }
}
