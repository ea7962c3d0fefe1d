package dev.sandboxer.platform.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A new folder for one test run, and the folder in which all runs share what was unpacked.
 *
 * @param path of the home
 */
public record TestHome(Path path) implements AutoCloseable {

  /**
   * Makes a new, empty home with a short path.
   *
   * @return the home
   */
  public static TestHome create() {
    try {
      return new TestHome(Files.createTempDirectory("sbx"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Where PostgreSQL's programs are unpacked, once for all tests.
   *
   * @return a folder below the build folder
   */
  public static Path sharedCache() {
    return Path.of("target", "test-cache").toAbsolutePath();
  }

  /** Removes the folder with everything in it. */
  @Override
  public void close() {
    try (Stream<Path> paths = Files.walk(path)) {
      for (Path each : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
