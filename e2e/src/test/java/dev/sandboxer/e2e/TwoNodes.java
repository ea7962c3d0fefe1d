package dev.sandboxer.e2e;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Two platform processes on one database, each with its own home and a copy of the master key. */
final class TwoNodes implements AutoCloseable {
  /** Routing to the second node's machine, and to the first one's if that takes nothing. */
  static final String SECOND_FIRST =
      "routing: {strategy: explicit, candidates: [{extension: ext.nsjail, host: two},"
          + " {extension: ext.nsjail, host: one}]}";

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

  /**
   * Adds a profile without limits that are enforced, and waits until the first node knows it.
   *
   * @param keys of the profile beside its name
   */
  void profile(String name, String keys) {
    try {
      Path folder = Files.createDirectories(first.home().resolve("profiles"));
      Files.writeString(
          folder.resolve(name + ".yaml"),
          "id: profile.%s\nversion: 1\nbest_effort: [cpus, memory, pids]\n%s\n"
              .formatted(name, keys));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> first.api().get("/v1/profiles").text().contains("profile." + name));
  }

  @Override
  public void close() {
    second.close();
    first.close();
    database.close();
  }
}
