package dev.sandboxer.platform.mount;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Whether a folder of the host can be mounted without showing more than it says: nobody but root
 * and the platform can put something else in its place, and no door to the host stands in it.
 *
 * @param home the platform's own folder
 * @param self the platform's user id
 */
record FolderSafety(Path home, int self) {

  private static final List<Path> NEVER =
      Stream.of("/proc", "/sys", "/dev", "/run", "/var/run").map(Path::of).toList();
  private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");

  private static final int TYPE = 0170000;
  private static final int FOLDER = 0040000;
  private static final int LINK = 0120000;
  private static final int SOCKET = 0140000;
  private static final int OTHERS_WRITE = 0022;
  private static final int STICKY = 01000;
  private static final int DEPTH = 4;
  private static final long MOST_LOOKED_AT = 5000;

  static FolderSafety of(Path home) {
    try {
      int self = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
      return new FolderSafety(home.toRealPath(), self);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Checks a folder, component by component from the root, following no link.
   *
   * @param source absolute and normal
   * @param write whether the sandbox may write there: then the folder itself, and nothing above it,
   *     may be open to others
   * @return {@code device:inode}
   */
  String check(Path source, boolean write) throws MountRefusedException {
    checkPlace(source);
    Path at = Path.of("/");
    Map<String, Object> facts = component(at, source, write);
    for (Path name : source) {
      at = at.resolve(name);
      facts = component(at, source, write);
    }
    checkNoMountBelow(source);
    checkNoSocket(source);
    return Long.toUnsignedString((Long) fact(facts, "dev"))
        + ":"
        + Long.toUnsignedString((Long) fact(facts, "ino"));
  }

  private void checkPlace(Path source) throws MountRefusedException {
    for (Path never : NEVER) {
      if (source.startsWith(never)) {
        throw new MountRefusedException(source + " is the host's own: it is never mounted");
      }
    }
    if (source.startsWith(home) || home.startsWith(source)) {
      throw new MountRefusedException(
          source + " holds the platform's keys or lies among them: it is never mounted");
    }
  }

  private Map<String, Object> component(Path at, Path source, boolean write)
      throws MountRefusedException {
    Map<String, Object> facts = look(at);
    int mode = (Integer) fact(facts, "mode");
    int uid = (Integer) fact(facts, "uid");
    if ((mode & TYPE) == LINK) {
      throw new MountRefusedException(at + " is a link: name the folder that it leads to");
    }
    if ((mode & TYPE) != FOLDER) {
      throw new MountRefusedException(at + " is no folder: only folders can be mounted");
    }
    if (uid != 0 && uid != self) {
      throw new MountRefusedException(
          "%s belongs to user %d, who could put something else there: chown it to root"
              .formatted(at, uid));
    }
    // Where the sticky bit is, as on /tmp, nobody can replace what belongs to root or to us.
    boolean kept = at.equals(source) ? write : (mode & STICKY) != 0;
    if (!kept && (mode & OTHERS_WRITE) != 0) {
      throw new MountRefusedException(
          "%s is writable for others (mode %o), who could put something else there: chmod go-w %s"
              .formatted(at, mode & 07777, at));
    }
    return facts;
  }

  private static Map<String, Object> look(Path at) throws MountRefusedException {
    try {
      return Files.readAttributes(at, "unix:mode,uid,dev,ino", LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      throw new MountRefusedException(at + " is not there");
    } catch (IOException e) {
      throw MountRefusedException.unreadable(at, e);
    }
  }

  private static Object fact(Map<String, Object> facts, String name) {
    return Optional.ofNullable(facts.get(name)).orElseThrow();
  }

  /** A mount below would come along, and not every backend can make it read-only. */
  private static void checkNoMountBelow(Path source) throws MountRefusedException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/mountinfo"))) {
      Optional<Path> below =
          lines
              .map(line -> Path.of(plain(line.split(" ", 6)[4])))
              .filter(mount -> mount.startsWith(source) && !mount.equals(source))
              .findFirst();
      if (below.isPresent()) {
        throw new MountRefusedException(
            "%s has another file system mounted at %s: mount that by itself"
                .formatted(source, below.get()));
      }
    } catch (IOException e) {
      throw MountRefusedException.unreadable(Path.of("/proc/self/mountinfo"), e);
    }
  }

  private static String plain(String escaped) {
    return OCTAL
        .matcher(escaped)
        .replaceAll(found -> String.valueOf((char) Integer.parseInt(found.group(1), 8)));
  }

  /** A socket works through a read-only mount as well; an engine's gives the whole host. */
  private static void checkNoSocket(Path source) throws MountRefusedException {
    try (Stream<Path> paths = Files.walk(source, DEPTH)) {
      Optional<Path> socket = paths.limit(MOST_LOOKED_AT).filter(FolderSafety::socket).findFirst();
      if (socket.isPresent()) {
        throw new MountRefusedException(
            "%s holds the socket %s, a door to another program: it is not mounted"
                .formatted(source, socket.get()));
      }
    } catch (UncheckedIOException e) {
      throw MountRefusedException.unreadable(source, e);
    } catch (IOException e) {
      throw MountRefusedException.unreadable(source, e);
    }
  }

  private static boolean socket(Path path) {
    try {
      int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      return (mode & TYPE) == SOCKET;
    } catch (IOException e) {
      return false; // gone meanwhile
    }
  }
}
