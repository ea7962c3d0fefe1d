package dev.sandboxer.cli.volume;

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

/** The volumes that there are. */
@Command(name = "ls", description = "List volumes by name.")
final class ListVerb extends Verb {
  @Option(names = "--limit", paramLabel = "N", description = "The first alone (default: all).")
  private int limit = Integer.MAX_VALUE;

  @Option(
      names = {"-q", "--quiet"},
      description = "Only the names.")
  private boolean quiet;

  ListVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (limit < 1) {
      throw Failure.usage("--limit " + limit + " must be at least 1");
    }
    List<JsonNode> volumes = new Pages(context().api()).first(VolumePath.ALL, limit);
    if (json()) {
      ObjectNode document = context().json().createObjectNode();
      document.putArray("items").addAll(volumes);
      print(document);
    } else if (quiet) {
      volumes.forEach(volume -> context().console().result(VolumePath.name(volume)));
    } else if (volumes.isEmpty() && context().console().streams().outTerminal()) {
      context()
          .console()
          .tell("No volume is there. To make one: sandboxer volume create data --size 1GiB");
    } else {
      print(table(volumes));
    }
    return ExitCode.OK;
  }

  private Table table(List<JsonNode> volumes) {
    Table table = new Table("NAME", "STATE", "SIZE", "BACKEND", "HOST", "AGE");
    volumes.forEach(volume -> table.add(VolumeFacts.row(volume, context().clock().instant())));
    return table;
  }
}
