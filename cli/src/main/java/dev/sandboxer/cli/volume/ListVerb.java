package dev.sandboxer.cli.volume;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ItemsVerb;
import dev.sandboxer.cli.terminal.Table;
import java.util.List;
import picocli.CommandLine.Command;

/** The volumes that there are. */
@Command(name = "ls", description = "List volumes by name.")
final class ListVerb extends ItemsVerb {
  ListVerb(Context context) {
    super(
        context,
        VolumePath.ALL,
        "No volume is there. To make one: sandboxer volume create data --size 1GiB");
  }

  @Override
  protected String id(JsonNode volume) {
    return VolumePath.name(volume);
  }

  @Override
  protected Table table(List<JsonNode> volumes) {
    Table table = new Table("NAME", "STATE", "SIZE", "BACKEND", "HOST", "AGE");
    volumes.forEach(volume -> table.add(VolumeFacts.row(volume, context().clock().instant())));
    return table;
  }
}
