package dev.sandboxer.cli.box;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Pages;
import dev.sandboxer.cli.terminal.Table;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The boxes that there are. */
@Command(name = "ls", description = "List boxes, newest first.")
final class ListVerb extends Verb {
  @Option(names = "--limit", paramLabel = "N", description = "The newest alone (default: all).")
  private int limit = Integer.MAX_VALUE;

  @Option(
      names = {"-q", "--quiet"},
      description = "Only the ids.")
  private boolean quiet;

  ListVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (limit < 1) {
      throw Failure.usage("--limit " + limit + " must be at least 1");
    }
    List<JsonNode> boxes = new Pages(context().api()).first(BoxPath.ALL, limit);
    if (json()) {
      ObjectNode document = context().json().createObjectNode();
      document.putArray("items").addAll(boxes);
      print(document);
    } else if (quiet) {
      boxes.forEach(box -> context().console().result(BoxPath.id(box)));
    } else if (boxes.isEmpty() && context().console().streams().outTerminal()) {
      context().console().tell("No box is there. To get one: sandboxer box ensure --session-id me");
    } else {
      print(table(boxes));
    }
    return ExitCode.OK;
  }

  private Table table(List<JsonNode> boxes) {
    Table table = new Table("ID", "SCOPE", "STATE", "PROFILE", "SANDBOX", "IDLE", "USED");
    boxes.forEach(box -> table.add(BoxFacts.row(box, context().clock().instant())));
    return table;
  }
}
