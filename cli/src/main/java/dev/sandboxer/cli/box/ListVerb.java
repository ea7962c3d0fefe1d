package dev.sandboxer.cli.box;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ItemsVerb;
import dev.sandboxer.cli.terminal.Table;
import java.util.List;
import picocli.CommandLine.Command;

/** The boxes that there are. */
@Command(name = "ls", description = "List boxes, newest first.")
final class ListVerb extends ItemsVerb {
  ListVerb(Context context) {
    super(
        context, BoxPath.ALL, "No box is there. To get one: sandboxer box ensure --session-id me");
  }

  @Override
  protected String id(JsonNode box) {
    return BoxPath.id(box);
  }

  @Override
  protected Table table(List<JsonNode> boxes) {
    Table table = new Table("ID", "SCOPE", "STATE", "PROFILE", "SANDBOX", "IDLE", "USED");
    boxes.forEach(box -> table.add(BoxFacts.row(box, context().clock().instant())));
    return table;
  }
}
