package dev.sandboxer.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.client.Pages;
import dev.sandboxer.cli.terminal.Table;
import java.util.List;
import picocli.CommandLine.Option;

/** A verb that lists what one path of the API has, as a table, as ids alone, or as JSON. */
public abstract class ItemsVerb extends Verb {
  private final String path;
  private final String ifNone;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Only the first N of the list (default: all).")
  private int limit = Integer.MAX_VALUE;

  @Option(
      names = {"-q", "--quiet"},
      description = "Only the first column.")
  private boolean quiet;

  /**
   * Makes the verb.
   *
   * @param context of the program
   * @param path of the list in the API
   * @param ifNone what a person at a terminal reads when the list is empty
   */
  protected ItemsVerb(Context context, String path, String ifNone) {
    super(context);
    this.path = path;
    this.ifNone = ifNone;
  }

  /** The table's first column. */
  protected abstract String id(JsonNode item);

  /** All of the items, in their order. */
  protected abstract Table table(List<JsonNode> items);

  @Override
  public Integer call() throws InterruptedException {
    if (limit < 1) {
      throw Failure.usage("--limit " + limit + " must be at least 1");
    }
    List<JsonNode> items = new Pages(context().api()).first(path, limit);
    if (json()) {
      ObjectNode document = context().json().createObjectNode();
      document.putArray("items").addAll(items);
      print(document);
    } else if (quiet) {
      items.forEach(item -> context().console().result(id(item)));
    } else if (items.isEmpty() && context().console().streams().outTerminal()) {
      context().console().tell(ifNone);
    } else {
      print(table(items));
    }
    return ExitCode.OK;
  }
}
