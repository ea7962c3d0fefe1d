package dev.sandboxer.platform.dataplane.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntPredicate;

/**
 * Looks at a socket before each connection, without following links: code in a sandbox that could
 * replace it would otherwise be served whatever it points to.
 */
public final class SocketCheck {

  private static final int TYPE_MASK = 0170000;
  private static final int SOCKET_TYPE = 0140000;

  private final IntPredicate sandboxUid;
  private final int ownUid;

  /**
   * Makes a check.
   *
   * @param sandboxUid the user ids that sandboxes run under; root's and our own are fine as well
   */
  public SocketCheck(IntPredicate sandboxUid) {
    this.sandboxUid = sandboxUid;
    this.ownUid = ownUid();
  }

  void check(Path path) throws WireException {
    Map<String, Object> attributes;
    try {
      attributes = Files.readAttributes(path, "unix:mode,uid", LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      throw new WireException("its socket is not there");
    }
    if ((number(attributes, "mode") & TYPE_MASK) != SOCKET_TYPE) {
      throw new WireException("what should be its socket is none");
    }
    int owner = number(attributes, "uid");
    if (owner != 0 && owner != ownUid && !sandboxUid.test(owner)) {
      throw new WireException("its socket belongs to user " + owner);
    }
  }

  private static int number(Map<String, Object> attributes, String name) {
    return (Integer) Objects.requireNonNull(attributes.get(name));
  }

  private static int ownUid() {
    try {
      return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException e) {
      throw new IllegalStateException("/proc is not mounted: mount it", e);
    }
  }
}
