package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.cli.terminal.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** One sandbox's record. */
@Command(name = "get", description = "Show a sandbox's record.")
public final class GetVerb extends Verb {
  @Parameters(paramLabel = "SANDBOX", description = "The sandbox's id.")
  private String id = "";

  public GetVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode sandbox = new Sandboxes(context().api()).get(SandboxId.of(id));
    if (json()) {
      print(sandbox);
      return ExitCode.OK;
    }
    Table table = new Table("FIELD", "VALUE");
    sandbox.properties().forEach(field -> add(table, field.getKey(), field.getValue()));
    table.print(context().console());
    return ExitCode.OK;
  }

  private static void add(Table table, String name, JsonNode value) {
    boolean empty = value.isNull() || (value.isContainerNode() && value.isEmpty());
    if (!empty) {
      table.add(name, value.isValueNode() ? value.asText() : value.toString());
    }
  }
}
