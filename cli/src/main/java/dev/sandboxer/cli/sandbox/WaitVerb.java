package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.TimeSpan;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.cli.terminal.Escapes;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A script that goes on once a sandbox can be used. */
@Command(
    name = "wait",
    description = "Wait until a sandbox is ready; one that has failed or ended is an error.")
public final class WaitVerb extends Verb {
  @Parameters(paramLabel = "SANDBOX", description = "Its id, the beginning of one, or its name.")
  private String id = "";

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = TimeSpan.class,
      defaultValue = "5m",
      description = "How long at most (default: ${DEFAULT-VALUE}).")
  private Duration timeout = Duration.ofMinutes(5);

  public WaitVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode sandbox =
        new Sandboxes(context().api()).awaitReady(context().sandbox(id), timeout, this::progress);
    if (json()) {
      print(sandbox);
    }
    return ExitCode.OK;
  }

  private void progress(String line) {
    if (!json()) {
      context().console().tell(Escapes.visible(line));
    }
  }
}
