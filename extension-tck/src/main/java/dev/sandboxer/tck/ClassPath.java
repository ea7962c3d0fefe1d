package dev.sandboxer.tck;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Where the test's own classes came from. */
final class ClassPath {
  private ClassPath() {}

  static List<Path> ofThisTest() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.isBlank())
        .map(entry -> Path.of(entry).toAbsolutePath())
        .toList();
  }
}
