package dev.sandboxer.e2e;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Two platform processes on one database, each with its own home and a copy of the master key. */
final class TwoNodes implements AutoCloseable {
  private final Function<String, Map<String, String>> more;
  private final Database database;
  private final Platform first;
  private final Platform second;

  /**
   * Starts them as nodes {@code one} and {@code two}.
   *
   * @param more settings of a node beside its name and the database's
   */
  TwoNodes(Function<String, Map<String, String>> more) {
    this.more = more;
    database = Database.start();
    first = Platform.start(settings("one"));
    second = Platform.join(first, settings("two"));
  }

  /** All settings of a node, which may be changed. */
  Map<String, String> settings(String node) {
    Map<String, String> settings = new HashMap<>(database.settings());
    settings.put("SANDBOXER_NODE", node);
    settings.putAll(more.apply(node));
    return settings;
  }

  Database database() {
    return database;
  }

  Platform first() {
    return first;
  }

  Platform second() {
    return second;
  }

  @Override
  public void close() {
    second.close();
    first.close();
    database.close();
  }
}
