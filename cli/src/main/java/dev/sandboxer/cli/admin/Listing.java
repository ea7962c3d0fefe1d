package dev.sandboxer.cli.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Pages;
import dev.sandboxer.cli.terminal.Table;
import java.util.List;
import java.util.Locale;

/**
 * A verb that shows one list of the API, a column a field; a field inside another is named by its
 * path.
 */
abstract class Listing extends Verb {
  private final String path;
  private final String[] fields;

  Listing(Context context, String path, String... fields) {
    super(context);
    this.path = path;
    this.fields = fields.clone();
  }

  @Override
  public Integer call() throws InterruptedException {
    List<JsonNode> items = new Pages(context().api()).all(path());
    if (json()) {
      ObjectNode document = context().json().createObjectNode();
      document.putArray("items").addAll(items);
      print(document);
    } else {
      print(table(items));
      items.forEach(this::remark);
    }
    return ExitCode.OK;
  }

  /** Where the list is. */
  String path() {
    return path;
  }

  /** Says on standard error what a row has no room for. */
  void remark(JsonNode item) {}

  private Table table(List<JsonNode> items) {
    String[] titles = new String[fields.length];
    for (int column = 0; column < fields.length; column++) {
      titles[column] =
          fields[column].replaceFirst(".*/", "").replace('_', ' ').toUpperCase(Locale.ROOT);
    }
    Table table = new Table(titles);
    items.forEach(item -> table.add(cells(item)));
    return table;
  }

  private String[] cells(JsonNode item) {
    String[] cells = new String[fields.length];
    for (int column = 0; column < fields.length; column++) {
      JsonNode value = item.at("/" + fields[column]);
      cells[column] =
          value.isMissingNode() || value.isNull()
              ? "-"
              : value.isValueNode() ? value.asText() : value.toString();
    }
    return cells;
  }
}
