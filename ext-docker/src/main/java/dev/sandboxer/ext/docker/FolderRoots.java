package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.HostRef;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The sandboxes' folders of each host: of the platform's own machine in the base itself, of any
 * other host in one folder below it. So a listing of one Engine never takes another Engine's folder
 * for one without a container. Its name follows from the host's name, as the address may change,
 * and is short, as the paths of sockets must be.
 */
final class FolderRoots {

  private static final int LENGTH = 8;

  private final Path base;

  FolderRoots(Path base) {
    this.base = base;
  }

  Path base() {
    return base;
  }

  Folders of(HostRef host) {
    return new Folders(host.local() ? base : base.resolve(name(host.id())));
  }

  /** No name of a sandbox's folder, which has dashes. */
  private static String name(String host) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(host.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest).substring(0, LENGTH);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
