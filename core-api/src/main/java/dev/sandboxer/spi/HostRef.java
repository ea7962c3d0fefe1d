package dev.sandboxer.spi;

import java.util.Map;

/**
 * A placement target.
 *
 * @param id the host's name in the platform
 * @param address how the extension reaches it, such as an SSH address; {@code local} for the
 *     platform's own machine
 * @param settings what the operator set for this host, checked by {@link
 *     ExtensionDescriptor#hostSettingsSchema()}; values as in {@link SandboxSpec#options()}
 * @param credentials secrets by name, resolved for this call; never to be logged or stored
 */
public record HostRef(
    String id, String address, Map<String, Object> settings, Map<String, String> credentials) {

  /** The address of the platform's own machine. */
  public static final String LOCAL = "local";

  private static final String UNIX = "unix://";

  /** Checks the values and keeps an immutable copy. */
  @ForPlatform
  public HostRef {
    if (id.isBlank() || address.isBlank()) {
      throw new IllegalArgumentException("host id and address must not be blank");
    }
    settings = PlainValues.copyOf(settings);
    credentials = Map.copyOf(credentials);
  }

  /**
   * A host without settings.
   *
   * @param id the host's name in the platform
   * @param address how the extension reaches it
   */
  public HostRef(String id, String address) {
    this(id, address, Map.of(), Map.of());
  }

  /**
   * The same host with other settings.
   *
   * @param values names and values
   * @return a copy
   */
  public HostRef withSettings(Map<String, Object> values) {
    return new HostRef(id, address, values, credentials);
  }

  /**
   * The same host with other credentials.
   *
   * @param values names and secrets
   * @return a copy
   */
  public HostRef withCredentials(Map<String, String> values) {
    return new HostRef(id, address, settings, values);
  }

  /**
   * Whether it is the platform's own machine.
   *
   * @return true for {@link #LOCAL}
   */
  public boolean local() {
    return LOCAL.equals(address);
  }

  /**
   * Whether it shares the platform's file system: it is the platform's own machine, or a backend
   * there that is reached by a Unix socket.
   *
   * @return true for {@link #LOCAL} and addresses that begin with {@code unix://}
   */
  public boolean sameMachine() {
    return local() || address.startsWith(UNIX);
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return "HostRef[id=%s, address=%s, settings=%s, credentials=%s]"
        .formatted(id, address, settings.keySet(), credentials.keySet());
  }
}
