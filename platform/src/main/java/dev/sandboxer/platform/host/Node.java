package dev.sandboxer.platform.host;

import dev.sandboxer.spi.HostRef;

/**
 * This running platform process.
 *
 * @param id kept over restarts
 * @param boot changes with each start
 */
public record Node(String id, String boot) {

  /**
   * The name under which it claims work.
   *
   * @return {@code <id>/<boot>}
   */
  public String claimOwner() {
    return id + "/" + boot;
  }

  /**
   * The machine that it runs on, as a placement target.
   *
   * @return the local host, named as the node
   */
  public HostRef host() {
    return new HostRef(id, HostRef.LOCAL);
  }
}
