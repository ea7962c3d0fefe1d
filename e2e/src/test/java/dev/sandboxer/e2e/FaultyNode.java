package dev.sandboxer.e2e;

import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.faulty.FaultyBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A platform of two faulty backends, which sweeps often. Its database outlives it: a start takes
 * less time, and a test can ask it and take claims there.
 */
final class FaultyNode implements AutoCloseable {

  static final String NAME = "faulty";
  static final List<String> BACKENDS = List.of("faulty-one", "faulty-two");

  private static final Pattern IN_A_SANDBOX = Pattern.compile("([a-z][a-z0-9]{19})-\\d+-\\d+");
  private static final FaultyPlatform FAULTY = new FaultyPlatform("faulty-one", "faulty-two");

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Database database = Database.start();
  private final Platform platform = FAULTY.start(settings());

  FaultyNode() {
    FAULTY.routed(platform);
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>(database.settings());
    settings.put("SANDBOXER_NODE", NAME);
    settings.put("SANDBOXER_SWEEP_SECONDS", "1");
    settings.put("SANDBOXER_SWEEP_GRACE_SECONDS", "1");
    return settings;
  }

  Platform platform() {
    return platform;
  }

  Database database() {
    return database;
  }

  ExecutorService threads() {
    return threads;
  }

  Api api() {
    return platform.api();
  }

  /** The profile whose candidates the backends are. */
  String profile() {
    return FAULTY.profile("faulty");
  }

  FaultyBackend backend(String name) {
    return FAULTY.backend(platform, name);
  }

  void sound() {
    BACKENDS.forEach(name -> backend(name).sound());
  }

  void restart() {
    platform.restart(settings());
  }

  /** The raw id of each folder, in order: a sandbox with remains of another attempt comes twice. */
  List<String> folders() {
    return platform.sandboxFolders().stream()
        .map(folder -> folder.substring(0, folder.indexOf('-')))
        .sorted()
        .toList();
  }

  /** Each boxd. */
  Stream<ProcessHandle> boxes() {
    return Host.processes("serve", "--config", platform.home().resolve("run").toString());
  }

  /** The raw id of the sandbox that a boxd is in. */
  static String sandboxOf(ProcessHandle box) {
    Matcher name = IN_A_SANDBOX.matcher(box.info().commandLine().orElse(""));
    return name.find() ? name.group(1) : "ended " + box.pid();
  }

  /** Reads how many sandboxes the quota counts. */
  long held() {
    return Long.parseLong(
        database.sql("select coalesce(sum(h.held), 0) from tenant t, held_sandboxes(t.id) h"));
  }

  /** How many objects without a record sweeps have removed so far. */
  long removedBySweeps() {
    return Long.parseLong(database.sql("select coalesce(sum(removed), 0) from sweep"));
  }

  /** Writes why a run failed, and what the platform printed so far: its home is removed. */
  void keepLog(String file, String failure) {
    try {
      Files.writeString(Path.of(file), failure + "\n" + platform.log());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    platform.close();
    database.close();
    threads.shutdownNow();
  }
}
