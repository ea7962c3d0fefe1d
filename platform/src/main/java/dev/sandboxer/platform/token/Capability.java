package dev.sandboxer.platform.token;

import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  /**
   * Capabilities by their names, as they are stored.
   *
   * @param allowed by a profile or key
   * @return null if nothing is narrowed
   */
  public static @Nullable List<String> narrowed(Set<Capability> allowed) {
    return allowed.containsAll(grantable())
        ? null
        : allowed.stream().sorted().map(Capability::wireName).toList();
  }

  /**
   * Reads what {@link #narrowed} gave.
   *
   * @param names null for all
   * @return those of the names that are known
   */
  public static Set<Capability> ofNarrowed(@Nullable Collection<String> names) {
    if (names == null) {
      return grantable();
    }
    Set<Capability> allowed = EnumSet.noneOf(Capability.class);
    names.stream().map(Capability::of).flatMap(Optional::stream).forEach(allowed::add);
    return allowed;
  }

  static String scope(Collection<Capability> capabilities) {
    return String.join(" ", names(capabilities));
  }

  static List<String> names(Collection<Capability> capabilities) {
    return capabilities.stream().sorted().distinct().map(Capability::wireName).toList();
  }
}
