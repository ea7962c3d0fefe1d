package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.client.Sandboxes;
import picocli.CommandLine.Command;

/** Lets a suspended sandbox run again. */
@Command(name = "resume", description = "Resume a suspended sandbox. Its next use does so as well.")
public final class ResumeVerb extends StateVerb {

  public ResumeVerb(Context context) {
    super(context);
  }

  @Override
  JsonNode change(Sandboxes sandboxes, String sandbox) throws InterruptedException {
    return sandboxes.resume(sandbox);
  }
}
