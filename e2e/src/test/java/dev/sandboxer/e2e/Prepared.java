package dev.sandboxer.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What {@code prepare.sh} made once, so that not every new home makes it again: PostgreSQL's
 * programs and the start-up caches. All is as slow as on a new machine where it did not run.
 */
final class Prepared {

  private static final Path CACHE = Path.of(System.getenv("SANDBOXER_PREPARED"), "cache");

  private Prepared() {}

  /** A new folder for a home whose platform is started without the script. */
  static Path home() throws IOException {
    Path home = Files.createTempDirectory("sbxe");
    link(home.resolve("cache"), "{postgres,cli}-*");
    for (Backend backend : Backends.all()) {
      backend.prepare(home);
    }
    return home;
  }

  /** Makes the folder of a home that is given all there is. */
  static void lend(Path home) throws IOException {
    Files.createDirectory(
        home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    link(home.resolve("cache"), "{postgres,platform,cli}-*");
  }

  /** Java's option for the start-up cache of a jar of the distribution: one or none. */
  static List<String> startCache(String program) {
    return found(program + "-*.aot").stream().map(file -> "-XX:AOTCache=" + file).toList();
  }

  /** The folder of PostgreSQL's programs. */
  static Optional<Path> postgres() {
    return found("postgres-*").stream().findFirst();
  }

  private static void link(Path cache, String names) throws IOException {
    Files.createDirectories(cache);
    for (Path file : found(names)) {
      Files.createSymbolicLink(cache.resolve(file.getFileName()), file);
    }
  }

  private static List<Path> found(String names) {
    if (Files.notExists(CACHE)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(CACHE)) {
      var wanted = CACHE.getFileSystem().getPathMatcher("glob:" + names);
      return files.filter(file -> wanted.matches(file.getFileName())).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
