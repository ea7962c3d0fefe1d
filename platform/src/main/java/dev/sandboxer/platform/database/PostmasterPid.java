package dev.sandboxer.platform.database;

import dev.sandboxer.platform.installation.StartupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** {@code postmaster.pid}: who runs the database, and whether it takes connections. */
final class PostmasterPid {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Of a server that ends already: it writes all that it holds to a disk that may be slow. */
  private static final Duration STOPPING_PATIENCE = Duration.ofMinutes(2);

  private static final long POLL_MILLIS = 10;
  private static final int STATUS_LINE = 7;

  private final Path file;
  private final Duration patience;
  private final Duration stoppingPatience;

  PostmasterPid(Path data) {
    this(data, PATIENCE, STOPPING_PATIENCE);
  }

  PostmasterPid(Path data, Duration patience, Duration stoppingPatience) {
    this.file = data.resolve("postmaster.pid");
    this.patience = patience;
    this.stoppingPatience = stoppingPatience;
  }

  /** Whether the server with this process id takes connections. */
  boolean ready(long pid) {
    List<String> lines = lines();
    return says(lines, "ready") && lines.getFirst().strip().equals(Long.toString(pid));
  }

  private static boolean says(List<String> lines, String status) {
    return lines.size() > STATUS_LINE && lines.get(STATUS_LINE).strip().equals(status);
  }

  /**
   * Waits for a server that is on its way out, and removes a file whose process id means something
   * else by now. A dead server's file stays: PostgreSQL itself checks what that one left.
   */
  void awaitFree() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    while (true) {
      List<String> lines = lines();
      String holder = lines.stream().findFirst().orElse("").strip();
      Path process = Path.of("/proc", holder.isEmpty() ? "none" : holder);
      if (Files.notExists(process)) {
        return;
      }
      if (!isServer(process)) {
        Files.deleteIfExists(file);
        return;
      }
      Duration most = says(lines, "stopping") ? stoppingPatience : patience;
      if (System.nanoTime() - begin > most.toNanos()) {
        throw new StartupException(
            "another PostgreSQL server (process id %s) uses %s: stop it first"
                .formatted(holder, file.resolveSibling("")));
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private boolean isServer(Path process) {
    try {
      String stat = Files.readString(process.resolve("stat"));
      boolean zombie = stat.charAt(stat.lastIndexOf(')') + 2) == 'Z';
      return !zombie && Files.isSameFile(process.resolve("cwd"), file.resolveSibling(""));
    } catch (IOException e) {
      return false;
    }
  }

  private List<String> lines() {
    try {
      return Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      // Being written right now.
      return List.of();
    }
  }
}
