package dev.sandboxer.cli.pipeline;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Forgets a pipeline. */
@Command(
    name = "rm",
    description =
        "Forget a pipeline and end its MCP servers; the boxes of its chats stay until they end.")
final class RemoveVerb extends Verb {
  @Parameters(paramLabel = "PIPELINE", description = "The pipeline's id.")
  private String id = "";

  RemoveVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    var _ = context().api().delete(PipelinePath.of(id));
    if (json()) {
      ObjectNode document = context().json().createObjectNode();
      document.put("removed", id);
      print(document);
    } else {
      context().console().result(id + " removed");
    }
    return ExitCode.OK;
  }
}
