package dev.sandboxer.platform.mount;

import dev.sandboxer.platform.id.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files of a folder as they were when it was looked through, which follows no link and reads no
 * file.
 *
 * @param files those of each folder before those of its folders, both sorted by the bytes of their
 *     names
 * @param stamp hash of all that the file system says about everything in it; changes with each
 *     change, except that several changes within one tick of its clock may look like one
 * @param changedAt when something in it changed last, by the file system's clock
 */
record FolderTree(List<File> files, String stamp, Instant changedAt) {

  /** How many files and folders may be in it. */
  static final int MOST_ENTRIES = 10_000;

  /** How many bytes its files may have together. */
  static final long MOST_BYTES = 1L << 30;

  private static final int TYPE = 0170000;
  private static final int FOLDER = 0040000;
  private static final int REGULAR = 0100000;
  private static final int EXECUTABLE = 0111;

  /**
   * One of its files.
   *
   * @param path where it is
   * @param name relative to the folder
   * @param size in bytes
   * @param executable whether anybody may execute it
   */
  record File(Path path, String name, long size, boolean executable) {}

  /** Keeps an immutable copy. */
  FolderTree {
    files = List.copyOf(files);
  }

  /**
   * Looks through a folder.
   *
   * @throws MountRefusedException if it has something else than files and folders, a name that is
   *     not UTF-8, or too much of anything
   */
  static FolderTree of(Path folder) throws MountRefusedException {
    Walk walk = new Walk(folder);
    try {
      walk.folder(folder, facts(folder));
    } catch (IOException e) {
      throw MountRefusedException.unreadable(folder, e);
    }
    return new FolderTree(
        walk.files,
        HexFormat.of().formatHex(Sha256.of(walk.all.toString())),
        walk.changedAt.toInstant());
  }

  private static Map<String, Object> facts(Path at) throws IOException {
    return Files.readAttributes(
        at, "unix:mode,dev,ino,size,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS);
  }

  private static final class Walk {

    private final Path root;
    private final List<File> files = new ArrayList<>();
    private final StringBuilder all = new StringBuilder();
    private FileTime changedAt = FileTime.from(Instant.MIN);
    private int entries;
    private long bytes;

    Walk(Path root) {
      this.root = root;
    }

    void folder(Path folder, Map<String, Object> facts) throws IOException, MountRefusedException {
      note(folder, facts);
      List<Path> below = new ArrayList<>();
      for (Path path : sorted(folder)) {
        Map<String, Object> found = facts(path);
        int type = mode(found) & TYPE;
        if (type == FOLDER) {
          below.add(path);
        } else if (type == REGULAR) {
          note(path, found);
          add(path, found);
        } else {
          throw new MountRefusedException(
              "%s is no file and no folder: a content digest covers nothing else, not even links"
                  .formatted(path));
        }
      }
      for (Path path : below) {
        folder(path, facts(path));
      }
    }

    private List<Path> sorted(Path folder) throws IOException, MountRefusedException {
      List<Path> paths = new ArrayList<>();
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
        for (Path path : stream) {
          if (++entries > MOST_ENTRIES) {
            throw new MountRefusedException(
                "%s has more than %d files and folders, too many for a content digest"
                    .formatted(root, MOST_ENTRIES));
          }
          paths.add(path);
        }
      } catch (DirectoryIteratorException e) {
        throw e.getCause();
      }
      paths.sort((one, other) -> Arrays.compareUnsigned(bytes(one), bytes(other)));
      return paths;
    }

    private void add(Path path, Map<String, Object> facts) throws MountRefusedException {
      long size = (Long) fact(facts, "size");
      bytes += size;
      if (bytes > MOST_BYTES) {
        throw new MountRefusedException(
            "%s has more than %d bytes, too many for a content digest".formatted(root, MOST_BYTES));
      }
      files.add(new File(path, name(path), size, (mode(facts) & EXECUTABLE) != 0));
    }

    /**
     * What is not UTF-8 has become U+FFFD, and so has each other character than ASCII where the
     * platform's own locale is not UTF-8. The manifest's form excludes the backslash.
     */
    private String name(Path path) throws MountRefusedException {
      String name = root.relativize(path).toString();
      if (name.indexOf('\uFFFD') >= 0 || name.indexOf('\\') >= 0) {
        throw new MountRefusedException(
            "%s has a name that a content digest does not cover: it must be UTF-8, as the platform's locale, and without '\\'"
                .formatted(path));
      }
      return name;
    }

    private void note(Path path, Map<String, Object> facts) {
      FileTime changed = (FileTime) fact(facts, "ctime");
      if (changed.compareTo(changedAt) > 0) {
        changedAt = changed;
      }
      all.append(path);
      for (String name : List.of("mode", "dev", "ino", "size", "lastModifiedTime", "ctime")) {
        all.append(' ').append(fact(facts, name));
      }
      all.append('\n');
    }
  }

  private static int mode(Map<String, Object> facts) {
    return (Integer) fact(facts, "mode");
  }

  private static Object fact(Map<String, Object> facts, String name) {
    return Optional.ofNullable(facts.get(name)).orElseThrow();
  }

  private static byte[] bytes(Path path) {
    return String.valueOf(path.getFileName()).getBytes(StandardCharsets.UTF_8);
  }
}
