package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Writes what a sandbox changed in copied folders back to the host. */
@Command(
    name = "sync",
    description =
        "Write what a sandbox changed in copied folders back to the host now; at its end that"
            + " happens by itself.")
public final class SyncVerb extends Verb {

  @Parameters(paramLabel = "SANDBOX", description = "Its id, the beginning of one, or its name.")
  private String id = "";

  public SyncVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode done = new Sandboxes(context().api()).sync(context().sandbox(id));
    if (json()) {
      print(done);
      return ExitCode.OK;
    }
    JsonNode mounts = done.path("mounts");
    if (mounts.isEmpty()) {
      context().console().result("it has no copied folder that it may change");
    }
    mounts.forEach(this::show);
    return ExitCode.OK;
  }

  private void show(JsonNode mount) {
    context()
        .console()
        .result(
            "%s: %d written (%d bytes), %d removed"
                .formatted(
                    mount.path("mount_path").asText(),
                    mount.path("written").asInt(),
                    mount.path("bytes").asLong(),
                    mount.path("removed").asInt()));
    for (JsonNode conflict : mount.path("conflicts")) {
      String kept = conflict.path("kept").asText();
      context()
          .console()
          .result(
              kept.isEmpty()
                  ? "  both sides changed %s: the sandbox removed it, the host's stays"
                      .formatted(conflict.path("path").asText())
                  : "  both sides changed %s: the sandbox's is %s"
                      .formatted(conflict.path("path").asText(), kept));
    }
    for (JsonNode skipped : mount.path("skipped")) {
      context()
          .console()
          .result(
              "  %s was not taken: %s"
                  .formatted(skipped.path("path").asText(), skipped.path("why").asText()));
    }
  }
}
