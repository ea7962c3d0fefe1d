package dev.sandboxer.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder of the host that may be mounted: below one that only root can change. */
final class HostTree implements AutoCloseable {

  private final Path root;

  HostTree() throws IOException {
    root = Files.createTempDirectory(Path.of("/var/lib"), "sbxtree");
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  Path root() {
    return root;
  }

  /** As if it had been there for a while. */
  void write(String name, String text) {
    try {
      Path file = root.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
      Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofMinutes(1))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String read(String name) {
    try {
      return Files.readString(root.resolve(name));
    } catch (IOException e) {
      return "none";
    }
  }

  boolean has(String name) {
    return Files.exists(root.resolve(name));
  }

  @Override
  public void close() {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
