package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Stops all processes of a sandbox and keeps them. */
@Command(
    name = "suspend",
    description =
        "Suspend a sandbox: its processes stop and are kept, with their memory and files, until it is resumed or used.")
public final class SuspendVerb extends Verb {

  @Parameters(paramLabel = "SANDBOX", description = "Its id, the beginning of one, or its name.")
  private String id = "";

  public SuspendVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    String sandbox = context().sandbox(id);
    JsonNode now = new Sandboxes(context().api()).suspend(sandbox);
    if (json()) {
      print(now);
    } else {
      context().console().result(sandbox);
    }
    return ExitCode.OK;
  }
}
