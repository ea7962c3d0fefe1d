package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;

/**
 * User ids inside. They are the host's, one of the installation's range for each sandbox; where the
 * Engine maps users, its map has only 65,536, none of them the host's own.
 */
final class Users {

  private static final int FIRST = 1000;
  private static final int MAPPED = 60_000;

  private Users() {}

  static int inside(int uid, EngineFacts facts) throws ExtensionException {
    if (facts.rootless()) {
      throw new ExtensionException(
          ErrorCode.UNSUPPORTED,
          "this Docker Engine runs rootless, where the sockets of sandboxes belong to users that the platform cannot vouch for: use an Engine that runs as root, such as one with userns-remap, or ext.nsjail, which needs no root");
    }
    return facts.remapped() ? FIRST + uid % MAPPED : uid;
  }
}
