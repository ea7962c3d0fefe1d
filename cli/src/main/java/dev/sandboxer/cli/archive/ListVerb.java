package dev.sandboxer.cli.archive;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ItemsVerb;
import dev.sandboxer.cli.terminal.Spans;
import dev.sandboxer.cli.terminal.Table;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;

/** The archives that there are. */
@Command(name = "ls", description = "List archives by digest.")
final class ListVerb extends ItemsVerb {
  ListVerb(Context context) {
    super(
        context,
        ArchivePath.ALL,
        "No archive is there. To upload a folder: sandboxer archive add FOLDER");
  }

  @Override
  protected String id(JsonNode archive) {
    return ArchivePath.digest(archive);
  }

  @Override
  protected Table table(List<JsonNode> archives) {
    Table table = new Table("DIGEST", "SIZE", "IN USE", "AGE");
    Instant now = context().clock().instant();
    for (JsonNode archive : archives) {
      table.add(
          ArchivePath.digest(archive),
          Spans.bytes(archive.path("size_bytes").asLong()),
          archive.path("in_use").asBoolean() ? "yes" : "no",
          Spans.since(archive.path("created_at").asText(), now));
    }
    return table;
  }
}
