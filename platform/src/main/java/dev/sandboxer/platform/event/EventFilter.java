package dev.sandboxer.platform.event;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which events somebody wants.
 *
 * @param tenantId of this tenant only
 * @param sandboxId {@code sb_...}, null for all
 * @param types exact types, or a prefix that ends in {@code .*}; empty for all
 */
public record EventFilter(String tenantId, @Nullable String sandboxId, Set<String> types) {

  /** Keeps an immutable copy. */
  public EventFilter {
    types = Set.copyOf(types);
  }

  /**
   * Whether an event passes.
   *
   * @param event to look at
   * @return true if all parts say so
   */
  public boolean matches(Event event) {
    return tenantId.equals(event.tenantId())
        && (sandboxId == null || sandboxId.equals(event.sandboxId()))
        && matchesType(types, event.type());
  }

  /**
   * Whether a type is among those wanted.
   *
   * @param wanted exact types or prefixes that end in {@code .*}; empty for all
   * @param type to look at
   * @return true if one fits
   */
  public static boolean matchesType(Set<String> wanted, String type) {
    return wanted.isEmpty()
        || wanted.contains(type)
        || wanted.stream()
            .anyMatch(
                item ->
                    item.endsWith(".*") && type.startsWith(item.substring(0, item.length() - 1)));
  }
}
