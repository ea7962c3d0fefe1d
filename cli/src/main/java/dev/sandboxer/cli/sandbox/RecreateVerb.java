package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.cli.terminal.Escapes;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The same sandbox from the beginning. */
@Command(
    name = "recreate",
    description =
        "Make a sandbox again under its id, as its profile says; what was in it is lost, and tokens"
            + " for it end.")
public final class RecreateVerb extends Verb {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @Parameters(paramLabel = "SANDBOX", description = "Its id, the beginning of one, or its name.")
  private String id = "";

  public RecreateVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    Sandboxes sandboxes = new Sandboxes(context().api());
    String sandbox = context().sandbox(id);
    var _ = sandboxes.recreate(sandboxes.get(sandbox));
    JsonNode ready = sandboxes.awaitReady(sandbox, LIMIT, this::progress);
    if (json()) {
      print(ready);
    } else {
      context().console().result(sandbox);
    }
    return ExitCode.OK;
  }

  private void progress(String line) {
    if (!json()) {
      context().console().tell(Escapes.visible(line));
    }
  }
}
