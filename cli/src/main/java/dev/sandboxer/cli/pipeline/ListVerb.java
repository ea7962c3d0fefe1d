package dev.sandboxer.cli.pipeline;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ItemsVerb;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.Spans;
import dev.sandboxer.cli.terminal.Table;
import java.util.List;
import picocli.CommandLine.Command;

/** The pipelines that there are. */
@Command(name = "ls", description = "List pipelines by their ids.")
final class ListVerb extends ItemsVerb {
  ListVerb(Context context) {
    super(
        context,
        PipelinePath.ALL,
        "No pipeline is there. To store one: sandboxer pipeline apply -f pipeline.yaml");
  }

  @Override
  protected String id(JsonNode pipeline) {
    return Escapes.visible(pipeline.path("id").asText());
  }

  @Override
  protected Table table(List<JsonNode> pipelines) {
    Table table = new Table("ID", "PROFILE", "TEMPLATE", "SKILLS", "MCP SERVERS", "CHANGED");
    for (JsonNode one : pipelines) {
      int servers = one.path("mcp_servers").size();
      boolean all = one.path("mcp_problem").isNull();
      table.add(
          one.path("id").asText(),
          one.path("profile").asText(),
          one.path("template").asText(),
          one.path("skills").size() + "",
          servers == 0 || all ? servers + "" : servers + ", not all run",
          Spans.since(one.path("changed_at").asText(), context().clock().instant()));
    }
    return table;
  }
}
