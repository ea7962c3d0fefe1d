package dev.sandboxer.spi;

import java.util.List;

/**
 * What a sandbox may reach.
 *
 * @param mode of the network
 * @param allow hosts for {@link NetworkMode#ALLOW}, else empty; an empty list means nothing
 */
public record Network(NetworkMode mode, List<AllowedHost> allow) {

  /** Nothing at all. */
  public static final Network NONE = new Network(NetworkMode.NONE, List.of());

  /** Keeps an immutable copy. */
  public Network {
    allow = List.copyOf(allow);
    if (mode != NetworkMode.ALLOW && !allow.isEmpty()) {
      throw new IllegalArgumentException("hosts are listed only for mode allow");
    }
  }

  /**
   * A host that may be reached.
   *
   * @param host name, pattern such as {@code *.example.com}, or range of addresses such as {@code
   *     10.1.2.0/24}
   * @param ports of the host
   * @param methods of HTTP that requests may have; empty if connections carry anything
   */
  public record AllowedHost(String host, List<Integer> ports, List<String> methods) {

    /** Keeps an immutable copy. */
    public AllowedHost {
      ports = List.copyOf(ports);
      methods = List.copyOf(methods);
    }

    /**
     * A host whose connections carry anything.
     *
     * @param host as in the record
     * @param ports of the host
     */
    public AllowedHost(String host, List<Integer> ports) {
      this(host, ports, List.of());
    }
  }
}
