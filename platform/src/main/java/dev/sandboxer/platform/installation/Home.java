package dev.sandboxer.platform.installation;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The folder that holds everything an installation keeps on one machine. Mode 0700. */
public final class Home {

  private static final Set<PosixFilePermission> PRIVATE_FOLDER =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> PRIVATE_FILE =
      PosixFilePermissions.fromString("rw-------");
  private static final List<String> FOLDERS =
      List.of(
          "extensions", "profiles", "run", "tools", "cache", "copies", "setup", "volumes", "logs");
  private static final long LEAST_FREE_BYTES = 16L << 20;

  private final Path root;

  private Home(Path root) {
    this.root = root;
  }

  /**
   * Opens the home that the environment names, {@code SANDBOXER_HOME} else {@code
   * $HOME/.sandboxer}, and makes what is missing of it.
   *
   * @param environment where to look
   * @return a home that can be written
   * @throws StartupException if it is read-only, full, someone else's or no folder
   */
  public static Home open(Environment environment) {
    return open(locate(environment));
  }

  /**
   * Opens one home and makes what is missing of it.
   *
   * @param root of the home
   * @return a home that can be written
   * @throws StartupException as {@link #open(Environment)}
   */
  public static Home open(Path root) {
    Home home = new Home(root.toAbsolutePath().normalize());
    try {
      home.prepare();
    } catch (IOException e) {
      throw home.unusable(e);
    }
    return home;
  }

  private static Path locate(Environment environment) {
    String chosen = environment.get("SANDBOXER_HOME");
    if (chosen != null && !chosen.isBlank()) {
      return Path.of(chosen);
    }
    String user = environment.get("HOME");
    if (user == null || user.isBlank()) {
      throw new StartupException(
          "neither SANDBOXER_HOME nor HOME is set: set SANDBOXER_HOME to a folder to keep things in");
    }
    return Path.of(user, ".sandboxer");
  }

  private void prepare() throws IOException {
    Files.createDirectories(root, PosixFilePermissions.asFileAttribute(PRIVATE_FOLDER));
    narrow(root);
    for (String folder : FOLDERS) {
      Files.createDirectories(
          root.resolve(folder), PosixFilePermissions.asFileAttribute(PRIVATE_FOLDER));
    }
    checkWritable();
  }

  private static void narrow(Path folder) throws IOException {
    if (!Files.getPosixFilePermissions(folder).equals(PRIVATE_FOLDER)) {
      Files.setPosixFilePermissions(folder, PRIVATE_FOLDER);
    }
  }

  private void checkWritable() throws IOException {
    Path probe = Files.createTempFile(run(), "write-probe-", null); // two may try at once
    try {
      Files.write(probe, new byte[4096]);
    } finally {
      Files.delete(probe);
    }
    long free = Files.getFileStore(root).getUsableSpace();
    if (free < LEAST_FREE_BYTES) {
      throw new FileSystemException(root.toString(), null, "No space left on device");
    }
  }

  private StartupException unusable(IOException e) {
    String why = reason(e);
    if (why.contains("Read-only")) {
      return new StartupException(
          "home %s is read-only: make it writable, or set SANDBOXER_HOME to another folder"
              .formatted(root),
          e);
    }
    if (why.contains("No space") || why.contains("quota exceeded")) {
      return new StartupException(
          "home %s is full (at least %d MiB must be free): free some space, or set SANDBOXER_HOME to another folder"
              .formatted(root, LEAST_FREE_BYTES >> 20),
          e);
    }
    return new StartupException(
        "home %s cannot be used (%s): it must be a folder that this user owns".formatted(root, why),
        e);
  }

  private static String reason(IOException e) {
    @Nullable String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    return reason == null ? e.getClass().getSimpleName() : reason;
  }

  /**
   * Writes a file that only this user may read, whole or not at all.
   *
   * @param name of the file, relative to the home
   * @param content of the file
   * @return its path
   * @throws StartupException if it cannot be written
   */
  public Path writePrivate(String name, byte[] content) {
    Path file = root.resolve(name);
    try {
      Path draft = Files.createTempFile(root, "draft", "", fileMode());
      Files.write(draft, content);
      return Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  /**
   * Removes a file, if it is there.
   *
   * @param name of the file, relative to the home
   * @throws StartupException if it cannot be removed
   */
  public void remove(String name) {
    try {
      Files.deleteIfExists(root.resolve(name));
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  private static java.nio.file.attribute.FileAttribute<?> fileMode() {
    return PosixFilePermissions.asFileAttribute(PRIVATE_FILE);
  }

  /**
   * The home itself.
   *
   * @return an absolute path
   */
  public Path root() {
    return root;
  }

  /**
   * Something in the home.
   *
   * @param name relative to the home
   * @return an absolute path, which need not exist
   */
  public Path resolve(String name) {
    return root.resolve(name);
  }

  /**
   * Sockets, pid and lock files. Its path should be short: a socket path has 107 bytes.
   *
   * @return an existing folder
   */
  public Path run() {
    return root.resolve("run");
  }
}
