package dev.sandboxer.ext.nsjail;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** The files of this machine that jails without an image see. */
final class HostRoot {

  private static final Path RELEASE = Path.of("/etc/os-release");

  /** A folder has another time once a package has put something into it or taken it out. */
  private static final List<Path> FOLDERS =
      List.of(
          Path.of("/usr/bin"),
          Path.of("/usr/lib"),
          Path.of("/usr/local/bin"),
          Path.of("/usr/local/lib"));

  private HostRoot() {}

  static String digest() throws ExtensionException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      if (Files.exists(RELEASE)) {
        digest.update(Files.readAllBytes(RELEASE));
      }
      for (Path folder : FOLDERS) {
        if (Files.isDirectory(folder)) {
          digest.update(Files.getLastModifiedTime(folder).toString().getBytes(UTF_8));
        }
      }
      return "host-" + HexFormat.of().formatHex(digest.digest());
    } catch (IOException | NoSuchAlgorithmException e) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE,
          Outcome.NOTHING_CREATED,
          "the machine's own files cannot be looked at: " + e.getMessage(),
          e);
    }
  }
}
