package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folders of sandboxes, one each, which only the platform's user may enter.
 *
 * <p>In it are {@code boxd.json}, {@code hosts}, {@code in}, which is mounted into the container
 * and where boxd puts its socket, and {@code s}, the socket once it was moved out of the sandbox's
 * reach.
 */
final class Folders {

  private static final String CONFIG = "boxd.json";
  private static final String HOSTS = "hosts";
  private static final String SHARED = "in";
  private static final String SOCKET = "s";
  private static final int TYPE = 0170000;
  private static final int SOCKET_TYPE = 0140000;

  private final Path base;

  Folders(Path base) {
    this.base = base;
  }

  Path base() {
    return base;
  }

  Path of(SandboxIdentity identity) {
    return base.resolve(identity.name());
  }

  Path config(SandboxIdentity identity) {
    return of(identity).resolve(CONFIG);
  }

  Path hosts(SandboxIdentity identity) {
    return of(identity).resolve(HOSTS);
  }

  Path shared(SandboxIdentity identity) {
    return of(identity).resolve(SHARED);
  }

  /** Where the socket is once nobody inside can reach it. */
  Path socket(SandboxIdentity identity) {
    return of(identity).resolve(SOCKET);
  }

  /** Makes a fresh folder; what an earlier try left is removed. */
  void prepare(SandboxIdentity identity, byte[] config) throws ExtensionException {
    try {
      remove(of(identity));
      make(base, "rwx------");
      make(of(identity), "rwx------");
      make(shared(identity), "rwxrwxrwx");
      write(config(identity), config);
      write(hosts(identity), Inside.NAMES.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw failed("folder " + of(identity) + " cannot be made", e);
    }
  }

  private static void write(Path file, byte[] content) throws IOException {
    Files.write(file, content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
  }

  /** Explicitly, as a mask would take bits away. */
  private static void make(Path folder, String mode) throws IOException {
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
  }

  /**
   * Takes the socket out of the sandbox's reach, before any command of a user runs. Code inside
   * could otherwise replace it by a link to another socket.
   *
   * @param own whether to make it ours, where ids are others outside than inside
   * @return false if boxd does not listen yet
   */
  boolean lock(SandboxIdentity identity, boolean own) throws ExtensionException {
    Path socket = socket(identity);
    try {
      if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
        Files.move(shared(identity).resolve(SOCKET), socket, StandardCopyOption.ATOMIC_MOVE);
      }
      check(socket);
      if (own) {
        Files.setAttribute(socket, "unix:uid", owner(base), LinkOption.NOFOLLOW_LINKS);
      }
      Files.setPosixFilePermissions(shared(identity), PosixFilePermissions.fromString("rwx--x--x"));
      return true;
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      throw failed("boxd's socket in " + of(identity) + " cannot be taken over", e);
    }
  }

  private static int owner(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
  }

  private static void check(Path socket) throws IOException, ExtensionException {
    Map<String, Object> found =
        Files.readAttributes(socket, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    int mode = (Integer) Objects.requireNonNull(found.get("mode"));
    if ((mode & TYPE) != SOCKET_TYPE) {
      throw new ExtensionException(
          ErrorCode.CRASH,
          Outcome.UNKNOWN,
          "what should be boxd's socket is none: " + socket,
          null);
    }
  }

  /** The names of sandboxes that have a folder. */
  List<String> names() throws ExtensionException {
    List<String> names = new ArrayList<>();
    if (!Files.exists(base)) {
      return names;
    }
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(base, Files::isDirectory)) {
      folders.forEach(folder -> names.add(folder.getFileName().toString()));
      return names;
    } catch (IOException e) {
      throw failed(base + " cannot be read", e);
    }
  }

  /** When it was last changed, which is when it was made. */
  Instant madeAt(SandboxIdentity identity) {
    try {
      return Files.getLastModifiedTime(of(identity), LinkOption.NOFOLLOW_LINKS).toInstant();
    } catch (IOException e) {
      return Instant.EPOCH;
    }
  }

  boolean exists(SandboxIdentity identity) {
    return Files.exists(of(identity), LinkOption.NOFOLLOW_LINKS);
  }

  /** Removes the folder; why it could not be, empty if it is gone. */
  Optional<String> remove(SandboxIdentity identity) {
    try {
      remove(of(identity));
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(of(identity) + " cannot be removed: " + e.getMessage());
    }
  }

  /** Links are removed, not followed. */
  private static void remove(Path path) throws IOException {
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      List<Path> inside;
      try (Stream<Path> list = Files.list(path)) {
        inside = list.toList();
      }
      for (Path item : inside) {
        remove(item);
      }
    }
    Files.deleteIfExists(path);
  }

  private static ExtensionException failed(String what, IOException e) {
    boolean disk =
        Refusals.outOfDisk(String.valueOf(e.getMessage()).toLowerCase(java.util.Locale.ROOT));
    return new ExtensionException(
        disk ? ErrorCode.CAPACITY : ErrorCode.UNAVAILABLE,
        Outcome.NOTHING_CREATED,
        what + ": " + (e instanceof FileAlreadyExistsException ? "it is a file" : e.getMessage()),
        e);
  }
}
