package dev.sandboxer.spi;

/**
 * What to make.
 *
 * @param identity stands, signed, on everything that is made
 * @param spec the resolved profile
 * @param host where to make it
 * @param uid the host's user id that is this sandbox's alone until it was seen clean; an extension
 *     that maps users uses it, others ignore it
 * @param daemon what of boxd to place, unless the extension declares {@link BoxdPlacement#NONE}
 */
public record ProvisionRequest(
    SandboxIdentity identity, SandboxSpec spec, HostRef host, int uid, Daemon daemon) {

  /** Checks the values. */
  public ProvisionRequest {
    if (uid < 1) {
      throw new IllegalArgumentException("uid " + uid + " must not be root's");
    }
  }
}
