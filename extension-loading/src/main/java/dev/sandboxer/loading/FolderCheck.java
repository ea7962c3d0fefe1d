package dev.sandboxer.loading;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What must hold before code from a folder runs as part of the platform. */
public final class FolderCheck {

  private static final Set<PosixFilePermission> FOREIGN_WRITE =
      Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

  private final Optional<Set<String>> sums;

  private FolderCheck(Optional<Set<String>> sums) {
    this.sums = sums;
  }

  /**
   * With an optional list of SHA-256 sums that each jar must be on.
   *
   * @param list lines of {@code <hex> <name>}, as {@code sha256sum} writes them
   * @return the check
   * @throws IOException if the list cannot be read
   */
  public static FolderCheck with(Optional<Path> list) throws IOException {
    if (list.isEmpty()) {
      return new FolderCheck(Optional.empty());
    }
    try (Stream<String> lines = Files.lines(list.get(), StandardCharsets.UTF_8)) {
      return new FolderCheck(
          Optional.of(
              lines.map(line -> line.replaceFirst("\\s.*", "")).collect(Collectors.toSet())));
    }
  }

  /**
   * The jars of a folder, in order of their names.
   *
   * @param folder of one extension
   * @return at least one
   * @throws IOException if the folder cannot be read
   * @throws RefusedException if there is none, one is no jar, or others may change them
   */
  public List<Path> jars(Path folder) throws IOException, RefusedException {
    checkOwner(folder);
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> jars = files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
      if (jars.isEmpty()) {
        throw new RefusedException("there is no jar in the folder");
      }
      for (Path jar : jars) {
        checkOwner(jar);
        checkFormat(jar);
        checkSum(jar);
      }
      return jars;
    }
  }

  /**
   * Only root and the platform's own user may be able to change a file.
   *
   * @param path file or folder
   * @throws IOException if it cannot be looked at
   * @throws RefusedException if others may write it
   */
  public static void checkOwner(Path path) throws IOException, RefusedException {
    Set<PosixFilePermission> mode = Files.getPosixFilePermissions(path);
    if (mode.stream().anyMatch(FOREIGN_WRITE::contains)) {
      throw new RefusedException(
          "%s can be written by others: chmod go-w it".formatted(path.getFileName()));
    }
    int owner = (Integer) Files.getAttribute(path, "unix:uid");
    int self = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    if (owner != 0 && owner != self) {
      throw new RefusedException(
          "%s belongs to user id %d and must belong to root or to the platform's user %d"
              .formatted(path.getFileName(), owner, self));
    }
  }

  /**
   * A class loader passes over a file that is no jar without a word.
   *
   * @param jar to open
   * @throws RefusedException if it is none
   */
  public static void checkFormat(Path jar) throws RefusedException {
    try (JarFile opened = new JarFile(jar.toFile())) {
      opened.size();
    } catch (IOException e) {
      throw new RefusedException(jar.getFileName() + " is no jar: " + e.getMessage());
    }
  }

  private void checkSum(Path jar) throws IOException, RefusedException {
    if (sums.isEmpty()) {
      return;
    }
    String sum = sha256(Files.readAllBytes(jar));
    if (!sums.get().contains(sum)) {
      throw new RefusedException(
          "%s (SHA-256 %s) is not on the list of allowed jars".formatted(jar.getFileName(), sum));
    }
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
