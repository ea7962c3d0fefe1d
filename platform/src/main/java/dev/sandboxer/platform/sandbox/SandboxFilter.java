package dev.sandboxer.platform.sandbox;

import dev.sandboxer.platform.id.RowPosition;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which sandboxes to list. A null field filters nothing.
 *
 * @param tenantId owner, null for all tenants
 * @param equal column name (a constant of the code) to wanted value
 * @param labels wanted labels
 * @param live whether those that are destroyed are left out
 * @param after position of the last row of the page before, null for the first page
 * @param limit rows wanted
 */
public record SandboxFilter(
    @Nullable String tenantId,
    Map<String, String> equal,
    Map<String, String> labels,
    boolean live,
    @Nullable RowPosition after,
    int limit) {

  /** Keeps immutable copies. */
  public SandboxFilter {
    equal = Map.copyOf(new LinkedHashMap<>(equal));
    labels = Map.copyOf(labels);
  }
}
