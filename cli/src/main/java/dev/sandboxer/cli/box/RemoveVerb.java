package dev.sandboxer.cli.box;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Forgets boxes. */
@Command(
    name = "rm",
    description =
        "Forget boxes and have their sandboxes destroyed; what asks for one of them next gets a new"
            + " one.")
final class RemoveVerb extends Verb {
  @Parameters(arity = "1..*", paramLabel = "BOX", description = "The boxes' ids.")
  private List<String> ids = new ArrayList<>();

  RemoveVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    ids.forEach(BoxPath::of);
    ObjectNode document = context().json().createObjectNode();
    ArrayNode removed = document.putArray("removed");
    ArrayNode failed = document.putArray("failed");
    for (String id : ids) {
      remove(id, removed, failed);
    }
    if (json()) {
      print(document);
    }
    return failed.isEmpty() ? ExitCode.OK : ExitCode.SANDBOXER;
  }

  /** One that fails does not keep the others. */
  private void remove(String id, ArrayNode removed, ArrayNode failed) throws InterruptedException {
    try {
      var _ = context().api().delete(BoxPath.of(id));
      removed.add(id);
      if (!json()) {
        context().console().result(id + " removed");
      }
    } catch (Failure e) {
      context().console().error(id + ": " + e.text());
      failed.addObject().put("box_id", id).put("message", e.text());
    }
  }
}
