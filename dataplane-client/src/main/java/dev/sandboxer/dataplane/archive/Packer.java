package dev.sandboxer.dataplane.archive;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.FileVisitor;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Packs a folder's contents as a tar stream, owned by nobody in particular. Safe for use by several
 * threads.
 */
public final class Packer {
  private static final Map<PosixFilePermission, Integer> BITS =
      Map.of(
          PosixFilePermission.OWNER_READ, 0400,
          PosixFilePermission.OWNER_WRITE, 0200,
          PosixFilePermission.OWNER_EXECUTE, 0100,
          PosixFilePermission.GROUP_READ, 040,
          PosixFilePermission.GROUP_WRITE, 020,
          PosixFilePermission.GROUP_EXECUTE, 010,
          PosixFilePermission.OTHERS_READ, 04,
          PosixFilePermission.OTHERS_WRITE, 02,
          PosixFilePermission.OTHERS_EXECUTE, 01);

  /**
   * Writes everything below {@code folder} to {@code out} and ends the archive. Sockets, pipes,
   * devices and links that lead out of the folder are left out and counted as skipped: inside they
   * would mean something else.
   *
   * @throws IOException when a file cannot be read or {@code out} cannot be written
   */
  public Tally pack(Path folder, OutputStream out) throws IOException {
    Tally.Builder tally = new Tally.Builder();
    try (TarArchiveOutputStream tar = new TarArchiveOutputStream(out, "UTF-8")) {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
      tar.setAddPaxHeadersForNonAsciiNames(true);
      Files.walkFileTree(folder, visitor(folder, tar, tally));
    }
    return tally.build();
  }

  private static FileVisitor<Path> visitor(
      Path folder, TarArchiveOutputStream tar, Tally.Builder tally) {
    return new SimpleFileVisitor<>() {
      @Override
      public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes)
          throws IOException {
        if (!path.equals(folder)) {
          put(tar, entry(folder, path, TarConstants.LF_DIR));
        }
        return FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult visitFile(Path path, BasicFileAttributes attributes)
          throws IOException {
        if (attributes.isSymbolicLink()) {
          link(folder, path, tar, tally);
        } else if (attributes.isRegularFile()) {
          file(folder, path, tar, tally);
        } else {
          tally.skipped(folder.relativize(path).toString());
        }
        return FileVisitResult.CONTINUE;
      }
    };
  }

  private static void link(Path folder, Path path, TarArchiveOutputStream tar, Tally.Builder tally)
      throws IOException {
    Path target = Files.readSymbolicLink(path);
    if (!Links.staysInside(folder.relativize(path), target.toString())) {
      tally.skipped(folder.relativize(path) + " -> " + target);
      return;
    }
    TarArchiveEntry entry = entry(folder, path, TarConstants.LF_SYMLINK);
    entry.setLinkName(target.toString());
    put(tar, entry);
    tally.file(0);
  }

  /**
   * The size is fixed before the contents: a file that changes meanwhile would break the archive,
   * so it is an error.
   */
  private static void file(Path folder, Path path, TarArchiveOutputStream tar, Tally.Builder tally)
      throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      TarArchiveEntry entry = entry(folder, path, TarConstants.LF_NORMAL);
      entry.setSize(Files.size(path));
      tar.putArchiveEntry(entry);
      in.transferTo(tar);
      tar.closeArchiveEntry();
      tally.file(entry.getSize());
    } catch (IllegalArgumentException e) {
      throw new IOException(path + " changed while it was read", e);
    }
  }

  private static TarArchiveEntry entry(Path folder, Path path, byte type) throws IOException {
    PosixFileAttributes attributes =
        Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    String name = folder.relativize(path).toString();
    TarArchiveEntry entry =
        new TarArchiveEntry(type == TarConstants.LF_DIR ? name + "/" : name, type);
    entry.setMode(mode(attributes.permissions()));
    entry.setModTime(attributes.lastModifiedTime());
    return entry;
  }

  private static int mode(Set<PosixFilePermission> permissions) {
    return permissions.stream().mapToInt(BITS::get).sum();
  }

  private static void put(TarArchiveOutputStream tar, TarArchiveEntry entry) throws IOException {
    tar.putArchiveEntry(entry);
    tar.closeArchiveEntry();
  }
}
