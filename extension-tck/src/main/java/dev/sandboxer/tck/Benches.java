package dev.sandboxer.tck;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** All platforms that one check needs; ended together, and what they made with them. */
final class Benches implements AutoCloseable {
  private final Environment environment;
  private final Path folder;
  private final BoxdBinary boxd;
  private final List<Bench> open = new ArrayList<>();
  private int homes;

  Benches(Environment environment) {
    this.environment = environment;
    try {
      this.folder = Files.createTempDirectory(environment.folder(), "tck");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.boxd = new BoxdBinary(environment.boxd(), folder);
  }

  Environment environment() {
    return environment;
  }

  /** A platform of an installation of its own. */
  Bench installation() {
    String id = UUID.randomUUID().toString();
    Path home = folder.resolve(Integer.toString(homes++));
    return add(new LentContext(home, id, id, environment.settings(), boxd));
  }

  /** The platform after a crash and a restart; the first one was not closed. */
  Bench restarted(Bench bench) {
    return add(bench.context().again());
  }

  /** Somebody who uses the same installation and folders without its key. */
  Bench forger(Bench bench) {
    return add(bench.context().forged());
  }

  private Bench add(LentContext context) {
    Bench bench = Bench.open(environment, context, boxd);
    open.add(bench);
    return bench;
  }

  /** Removes everything; what resists fails the check. */
  @Override
  public void close() {
    List<String> left = new ArrayList<>();
    for (Bench bench : open.reversed()) {
      left.addAll(bench.clean());
      bench.close();
    }
    remove();
    Promise.IDEMPOTENCY.require(
        left.isEmpty(),
        "after the check something cannot be torn down: " + left,
        "teardown by identity must remove whatever a call of that identity made");
  }

  private void remove() {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the extension left files behind that cannot be removed", e);
    }
  }
}
