package dev.sandboxer.platform.routing;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Counts what a sandbox is to be kept apart from: its tenant's with the same value of a label. */
@ApplicationScoped
class Alike {

  private static final String COUNT =
      """
      select host_id, count(*) as alike from sandbox
      where tenant_id = :tenant and destroyed_at is null and host_id is not null
        and coalesce(labels ->> :label, spec -> 'labels' ->> :label) = :value
      group by host_id
      """;

  private final Jdbi jdbi;

  Alike(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Host ids to counts; empty where nothing is to be kept apart. */
  Map<String, Integer> byHost(RouteQuery query) {
    @Nullable String label = query.routing().apart();
    @Nullable String value = label == null ? null : query.labels().get(label);
    if (value == null) {
      return Map.of();
    }
    return jdbi.withHandle(
        open ->
            open
                .createQuery(COUNT)
                .bind("tenant", query.tenantId())
                .bind("label", label)
                .bind("value", value)
                .map((row, _) -> Map.entry(row.getString("host_id"), row.getInt("alike")))
                .list()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }
}
