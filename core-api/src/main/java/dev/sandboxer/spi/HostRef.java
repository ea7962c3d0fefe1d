package dev.sandboxer.spi;

/**
 * A placement target.
 *
 * @param id the host's name in the platform
 * @param address how the extension reaches it, such as an SSH address; {@code local} for the
 *     platform's own machine
 */
public record HostRef(String id, String address) {

  /** The address of the platform's own machine. */
  public static final String LOCAL = "local";

  /** Checks the values. */
  public HostRef {
    if (id.isBlank() || address.isBlank()) {
      throw new IllegalArgumentException("host id and address must not be blank");
    }
  }

  /**
   * Whether it is the platform's own machine.
   *
   * @return true for {@link #LOCAL}
   */
  public boolean local() {
    return LOCAL.equals(address);
  }
}
