package dev.sandboxer.cli.volume;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Api;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes volumes. */
@Command(
    name = "rm",
    description = "Remove volumes with their contents, unless a sandbox has them.")
final class RemoveVerb extends Verb {
  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final int NOT_YET = 202;

  @Parameters(arity = "1..*", paramLabel = "NAME", description = "The volumes' names.")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--forget",
      description =
          "For operators: also forget one whose backend does not answer, which may leave it there.")
  private boolean forget;

  RemoveVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    names.forEach(VolumePath::of);
    ObjectNode document = context().json().createObjectNode();
    ArrayNode removed = document.putArray("removed");
    ArrayNode removing = document.putArray("removing");
    ArrayNode failed = document.putArray("failed");
    for (String name : names) {
      remove(name, removed, removing, failed);
    }
    if (json()) {
      print(document);
    }
    return failed.isEmpty() ? ExitCode.OK : ExitCode.SANDBOXER;
  }

  /** One that fails does not keep the others. */
  private void remove(String name, ArrayNode removed, ArrayNode removing, ArrayNode failed)
      throws InterruptedException {
    try {
      Api.Reply reply =
          context()
              .api()
              .waiting(LONGEST)
              .call("DELETE", VolumePath.of(name) + (forget ? "?forget=true" : ""), null, Map.of());
      boolean later = reply.status() == NOT_YET;
      (later ? removing : removed).add(name);
      if (!json()) {
        context()
            .console()
            .result(
                name
                    + (later
                        ? " is being removed: its backend has not done it yet, and is asked again"
                        : " removed"));
      }
    } catch (Failure e) {
      context().console().error(name + ": " + e.text());
      failed.addObject().put("name", name).put("message", e.text());
    }
  }
}
