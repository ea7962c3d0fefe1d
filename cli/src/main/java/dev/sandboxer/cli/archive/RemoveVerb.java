package dev.sandboxer.cli.archive;

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

/** Removes archives. */
@Command(name = "rm", description = "Remove archives, unless a sandbox has them.")
final class RemoveVerb extends Verb {
  @Parameters(arity = "1..*", paramLabel = "DIGEST", description = "The archives' digests.")
  private List<String> digests = new ArrayList<>();

  RemoveVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    digests.forEach(ArchivePath::of);
    ObjectNode document = context().json().createObjectNode();
    ArrayNode removed = document.putArray("removed");
    ArrayNode failed = document.putArray("failed");
    for (String digest : digests) {
      try {
        var _ = context().api().delete(ArchivePath.of(digest));
        removed.add(digest);
        if (!json()) {
          context().console().result(digest + " removed");
        }
      } catch (Failure e) {
        context().console().error(digest + ": " + e.text());
        failed.addObject().put("digest", digest).put("message", e.text());
      }
    }
    if (json()) {
      print(document);
    }
    return failed.isEmpty() ? ExitCode.OK : ExitCode.SANDBOXER;
  }
}
