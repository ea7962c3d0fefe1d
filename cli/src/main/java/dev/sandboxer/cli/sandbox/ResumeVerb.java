package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Lets a suspended sandbox run again. */
@Command(name = "resume", description = "Resume a suspended sandbox. Its next use does so as well.")
public final class ResumeVerb extends Verb {

  @Parameters(paramLabel = "SANDBOX", description = "Its id, the beginning of one, or its name.")
  private String id = "";

  public ResumeVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    String sandbox = context().sandbox(id);
    JsonNode now = new Sandboxes(context().api()).resume(sandbox);
    if (json()) {
      print(now);
    } else {
      context().console().result(sandbox);
    }
    return ExitCode.OK;
  }
}
