package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import picocli.CommandLine.Parameters;

/** Changes the state of a sandbox, waits for it, and prints the id. */
abstract class StateVerb extends Verb {

  @Parameters(paramLabel = "SANDBOX", description = "Its id, the beginning of one, or its name.")
  private String id = "";

  StateVerb(Context context) {
    super(context);
  }

  /** Gives its record once that is done. */
  abstract JsonNode change(Sandboxes sandboxes, String sandbox) throws InterruptedException;

  @Override
  public Integer call() throws InterruptedException {
    String sandbox = context().sandbox(id);
    JsonNode now = change(new Sandboxes(context().api()), sandbox);
    if (json()) {
      print(now);
    } else {
      context().console().result(sandbox);
    }
    return ExitCode.OK;
  }
}
