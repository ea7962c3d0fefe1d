package dev.sandboxer.cli.pipeline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Pages;
import dev.sandboxer.cli.terminal.Spans;
import dev.sandboxer.cli.terminal.Table;
import java.util.List;
import picocli.CommandLine.Command;

/** The pipelines that there are. */
@Command(name = "ls", description = "List pipelines by their ids.")
final class ListVerb extends Verb {
  ListVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    List<JsonNode> pipelines =
        new Pages(context().api()).first(PipelinePath.ALL, Integer.MAX_VALUE);
    if (json()) {
      ObjectNode document = context().json().createObjectNode();
      document.putArray("items").addAll(pipelines);
      print(document);
    } else if (pipelines.isEmpty() && context().console().streams().outTerminal()) {
      context()
          .console()
          .tell("No pipeline is there. To store one: sandboxer pipeline apply -f pipeline.yaml");
    } else {
      print(table(pipelines));
    }
    return ExitCode.OK;
  }

  private Table table(List<JsonNode> pipelines) {
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
