package dev.sandboxer.platform.access;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a key is narrowed to; nothing said is nothing narrowed.
 *
 * @param user on whose behalf the key acts, null for the key itself
 * @param capabilities that tokens may have at most, null for all
 * @param scopes {@code type} or {@code type:prefix}, null for all
 */
public record Limits(
    @Nullable String user, @Nullable List<String> capabilities, @Nullable List<String> scopes) {

  /** No limits. */
  public static final Limits NONE = new Limits(null, null, null);

  /** Keeps immutable copies. */
  public Limits {
    capabilities = capabilities == null ? null : List.copyOf(capabilities);
    scopes = scopes == null ? null : List.copyOf(scopes);
  }

  /**
   * Whether tokens of this key may have a capability.
   *
   * @param name such as {@code fs_read}
   * @return true if the key is not narrowed to others
   */
  public boolean allowsCapability(String name) {
    return capabilities == null || capabilities.contains(name);
  }

  /**
   * Whether this key may use a scope.
   *
   * @param type such as {@code thread}
   * @param id the tenant's name for it
   * @return true if the key is not narrowed to others
   */
  public boolean allowsScope(String type, String id) {
    return Optional.ofNullable(scopes)
        .map(all -> all.stream().anyMatch(rule -> covers(rule, type, id)))
        .orElse(true);
  }

  private static boolean covers(String rule, String type, String id) {
    int colon = rule.indexOf(':');
    return colon < 0
        ? rule.equals(type)
        : rule.substring(0, colon).equals(type) && id.startsWith(rule.substring(colon + 1));
  }
}
