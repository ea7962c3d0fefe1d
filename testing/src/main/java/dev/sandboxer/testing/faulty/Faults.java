package dev.sandboxer.testing.faulty;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which fault each call meets. A file of properties says it, read at each call: by {@code <call>=
 * <fault>}, or several in turn with commas, the last of which stays; else by chance from {@code
 * seed} and {@code percent}. It also has the {@link Whim}s of the backend.
 */
final class Faults {

  private final Path file;
  private long seed;
  private Random random = new Random(0);
  private final Map<String, Integer> met = new ConcurrentHashMap<>();

  Faults(Path file) {
    this.file = file;
  }

  static void write(Path file, Map<String, String> wanted) {
    Properties properties = new Properties();
    properties.putAll(wanted);
    try {
      Files.createDirectories(file.getParent());
      Path fresh = file.resolveSibling("faults.new");
      try (var out = Files.newBufferedWriter(fresh)) {
        properties.store(out, null);
      }
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Fault of(String call) {
    Properties wanted = read();
    String named = wanted.getProperty(call);
    if (named != null) {
      List<String> turns = List.of(named.split(",", -1));
      int turn = met.merge(call + "=" + named, 1, Integer::sum);
      return Fault.valueOf(turns.get(Math.min(turn, turns.size()) - 1));
    }
    int percent = Integer.parseInt(wanted.getProperty("percent", "0"));
    return draw(Long.parseLong(wanted.getProperty("seed", "0")), percent);
  }

  /** What the backend does otherwise than it should; empty if it does as it should. */
  Optional<String> whim(Whim whim) {
    return Optional.ofNullable(read().getProperty(whim.name()));
  }

  /** Whether calls meet no faults now. */
  boolean over() {
    return read().isEmpty();
  }

  private synchronized Fault draw(long wanted, int percent) {
    if (wanted != seed) {
      seed = wanted;
      random = new Random(wanted);
    }
    Fault[] all = Fault.values();
    return random.nextInt(100) < percent ? all[random.nextInt(all.length)] : Fault.NONE;
  }

  private Properties read() {
    Properties wanted = new Properties();
    try (var in = Files.newBufferedReader(file)) {
      wanted.load(in);
    } catch (NoSuchFileException e) {
      return wanted;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return wanted;
  }
}
