package dev.sandboxer.bench.subject;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder that goes away with everything in it. */
public record Folder(Path path) implements AutoCloseable {

  /**
   * A new one with a short path (a socket's has at most 107 bytes), in memory where the system has
   * a place for that.
   */
  static Folder inMemory() throws IOException {
    Path memory = Path.of("/dev/shm");
    return Files.isWritable(memory)
        ? new Folder(Files.createTempDirectory(memory, "sbxb"))
        : onDisk();
  }

  /** A new one below the system's folder for temporary files. */
  public static Folder onDisk() throws IOException {
    return new Folder(Files.createTempDirectory("sbxb"));
  }

  /** A path in it. */
  public Path resolve(String name) {
    return path.resolve(name);
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> paths = Files.walk(path)) {
      for (Path each : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    }
  }
}
