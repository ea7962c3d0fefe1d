package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.client.Sandboxes;
import picocli.CommandLine.Command;

/** Stops all processes of a sandbox and keeps them. */
@Command(
    name = "suspend",
    description =
        "Suspend a sandbox: its processes stop and are kept, with their memory and files, until it is resumed or used.")
public final class SuspendVerb extends StateVerb {

  public SuspendVerb(Context context) {
    super(context);
  }

  @Override
  JsonNode change(Sandboxes sandboxes, String sandbox) throws InterruptedException {
    return sandboxes.suspend(sandbox);
  }
}
