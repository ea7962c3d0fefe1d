package dev.sandboxer.dataplane.archive;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Unpacks a hostile tar beneath one folder and nowhere else. Files are written only through real
 * folders, never through a link; links are made after everything else, and only those that stay
 * inside. Devices, pipes, hard links to anything else and links that lead out are left out; owner,
 * setuid, setgid and sticky bits are dropped. For one archive and one thread.
 */
public final class Unpacker {
  private static final int CHUNK = 64 * 1024;
  private static final int LONGEST_NAME = 4096;

  private final Path folder;
  private final long mostBytes;
  private final int mostEntries;
  private final Tally.Builder tally = new Tally.Builder();
  private final Map<Path, String> links = new LinkedHashMap<>();
  private long bytes;

  /**
   * Unpacks beneath {@code folder}, which is there.
   *
   * @param mostBytes of contents, all files together
   * @param mostEntries files, folders and links, also those that are left out
   */
  public Unpacker(Path folder, long mostBytes, int mostEntries) {
    this.folder = folder;
    this.mostBytes = mostBytes;
    this.mostEntries = mostEntries;
  }

  /**
   * Reads the archive to its end.
   *
   * @throws UnsafeArchiveException for a name that leads out or an archive over the limits; what
   *     was unpacked before stays
   * @throws IOException when it is no tar, ends early, or the folder cannot be written
   */
  public Tally unpack(InputStream archive) throws IOException {
    try (TarArchiveInputStream tar = new TarArchiveInputStream(archive, "UTF-8")) {
      int entries = 0;
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        if (++entries > mostEntries) {
          throw new UnsafeArchiveException("the sandbox sent more than " + mostEntries + " files");
        }
        take(entry, tar);
      }
      makeLinks();
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "the sandbox sent an archive that cannot be read: " + e.getMessage(), e);
    }
    return tally.build();
  }

  private void take(TarArchiveEntry entry, TarArchiveInputStream tar) throws IOException {
    Path name = name(entry.getName());
    if (name.toString().isEmpty()) {
      return; // the folder itself
    }
    if (entry.isDirectory()) {
      makeFolder(name);
    } else if (entry.isSymbolicLink()) {
      noteLink(name, entry.getLinkName());
    } else if (entry.isLink()) {
      copyLinked(name, entry.getLinkName());
    } else if (plain(entry) && tar.canReadEntryData(entry)) {
      write(name, entry, tar);
    } else {
      tally.skipped(name.toString());
    }
  }

  /** By the type itself: the library takes a device for a file too. */
  private static boolean plain(TarArchiveEntry entry) {
    return switch (entry.getLinkFlag()) {
      case TarConstants.LF_NORMAL, TarConstants.LF_OLDNORM, TarConstants.LF_CONTIG -> true;
      default -> entry.isSparse();
    };
  }

  /** The name as a path relative to the folder, without `.`; empty for the folder itself. */
  private static Path name(String text) throws UnsafeArchiveException {
    if (text.startsWith("/") || text.indexOf('\0') >= 0 || text.length() > LONGEST_NAME) {
      throw unsafe(text);
    }
    for (String part : text.split("/", -1)) {
      if (part.equals("..")) {
        throw unsafe(text);
      }
    }
    try {
      return Path.of(text).normalize();
    } catch (InvalidPathException e) {
      throw unsafe(text);
    }
  }

  private static UnsafeArchiveException unsafe(String name) {
    String shown = name.length() > 100 ? name.substring(0, 100) + "..." : name;
    return new UnsafeArchiveException(
        "the sandbox sent a file name that leads out of the folder: " + shown);
  }

  /** Makes the folders down to {@code name}, each of which is then a real one. */
  private void makeFolder(Path name) throws IOException {
    Path path = folder;
    for (Path part : name) {
      path = path.resolve(part);
      if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        Files.deleteIfExists(path);
        Files.createDirectory(path);
        links.remove(path);
      }
    }
  }

  private Path place(Path name) throws IOException {
    Path parent = name.getParent();
    if (parent != null) {
      makeFolder(parent);
    }
    Path path = folder.resolve(name);
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(
          path + " is a folder, and the sandbox has a file of that name: choose an empty folder");
    }
    Files.deleteIfExists(path);
    links.remove(path);
    return path;
  }

  private void write(Path name, TarArchiveEntry entry, InputStream contents) throws IOException {
    Path path = place(name);
    long size = 0;
    try (OutputStream out =
        Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      byte[] chunk = new byte[CHUNK];
      for (int count = contents.read(chunk); count >= 0; count = contents.read(chunk)) {
        charge(count);
        out.write(chunk, 0, count);
        size += count;
      }
    }
    if ((entry.getMode() & 0111) != 0) {
      makeExecutable(path);
    }
    Files.setLastModifiedTime(path, entry.getLastModifiedTime());
    tally.file(size);
  }

  private void charge(int count) throws UnsafeArchiveException {
    bytes += count;
    if (bytes > mostBytes) {
      throw new UnsafeArchiveException("the sandbox sent more than " + mostBytes + " bytes");
    }
  }

  /** Executable for whoever may read it: the umask has decided that. */
  private static void makeExecutable(Path path) throws IOException {
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
    permissions.add(PosixFilePermission.OWNER_EXECUTE);
    if (permissions.contains(PosixFilePermission.GROUP_READ)) {
      permissions.add(PosixFilePermission.GROUP_EXECUTE);
    }
    if (permissions.contains(PosixFilePermission.OTHERS_READ)) {
      permissions.add(PosixFilePermission.OTHERS_EXECUTE);
    }
    Files.setPosixFilePermissions(path, permissions);
  }

  private void noteLink(Path name, String target) throws IOException {
    if (Links.staysInside(name, target)) {
      links.put(place(name), target);
    } else {
      tally.skipped(name + " -> " + target);
    }
  }

  /**
   * A hard link becomes a copy of the file unpacked before it: a real link could reach a file that
   * was there already.
   */
  private void copyLinked(Path name, String target) throws IOException {
    Path source = name(target);
    Path from = folder.resolve(source);
    if (name.equals(source)
        || !realFolders(source)
        || !Files.isRegularFile(from, LinkOption.NOFOLLOW_LINKS)) {
      tally.skipped(name + " -> " + target);
      return;
    }
    long size = Files.size(from);
    for (long left = size; left > 0; left -= Math.min(left, Integer.MAX_VALUE)) {
      charge((int) Math.min(left, Integer.MAX_VALUE));
    }
    Files.copy(from, place(name), LinkOption.NOFOLLOW_LINKS);
    tally.file(size);
  }

  private boolean realFolders(Path name) {
    Path parent = name.getParent();
    return parent == null
        || (realFolders(parent)
            && Files.isDirectory(folder.resolve(parent), LinkOption.NOFOLLOW_LINKS));
  }

  private void makeLinks() throws IOException {
    for (Map.Entry<Path, String> link : links.entrySet()) {
      Path path = link.getKey();
      if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        Files.createSymbolicLink(path, Path.of(link.getValue()));
        tally.file(0);
      }
    }
  }
}
