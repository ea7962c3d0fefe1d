package dev.sandboxer.platform.token;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What a token allows on the dataplane. The order is the one in which scopes are written. */
public enum Capability {
  /** Run a command. */
  EXEC,
  /** Open a terminal. */
  SHELL,
  /** Read files. */
  FS_READ,
  /** Write files. */
  FS_WRITE,
  /** Managed processes. */
  PROCESS,
  /** Ports inside. */
  PORT,
  /** Control boxd; never granted to a client. */
  ADMIN;

  /**
   * The name in scopes and replies.
   *
   * @return such as {@code fs_read}
   */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Finds a capability by its name.
   *
   * @param name such as {@code fs_read}
   * @return empty if there is none of exactly that name
   */
  public static Optional<Capability> of(String name) {
    for (Capability capability : values()) {
      if (capability.wireName().equals(name)) {
        return Optional.of(capability);
      }
    }
    return Optional.empty();
  }

  /**
   * All that a client can be granted.
   *
   * @return all but {@link #ADMIN}
   */
  public static Set<Capability> grantable() {
    return EnumSet.complementOf(EnumSet.of(ADMIN));
  }

  static String scope(Collection<Capability> capabilities) {
    return capabilities.stream()
        .sorted()
        .distinct()
        .map(Capability::wireName)
        .collect(Collectors.joining(" "));
  }
}
