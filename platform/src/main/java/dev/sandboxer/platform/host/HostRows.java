package dev.sandboxer.platform.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Probing;
import jakarta.enterprise.context.ApplicationScoped;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads rows of table {@code host}, alone or with what belongs to them. */
@ApplicationScoped
public class HostRows {

  /** For statements that join {@code host h}: what {@link #ref} reads. */
  public static final String REF =
      """
      h.id as host_id, h.address as host_address, h.settings as host_settings,
      h.credentials as host_credentials
      """;

  /** What {@link #host} reads. */
  static final String SELECT =
      """
      select %s, h.*, coalesce(n.lease_until > clock_timestamp(), false) as node_up,
        coalesce(n.extensions, '{}') as node_extensions,
        coalesce(l.sandboxes, 0) as load_sandboxes, coalesce(l.cpus, 0) as load_cpus,
        coalesce(l.memory_bytes, 0) as load_memory_bytes,
        (select json_agg(p) from host_probe p
          where p.host_id = h.id and p.probed_at > to_timestamp(0)) as probes
      from host h
        left join node n on n.id = h.node_id
        left join (
          select host_id, count(*) as sandboxes, sum(cpus) as cpus, sum(memory_bytes) as memory_bytes
          from attempt where cleanup is null or cleanup = 'pending' group by host_id) l
          on l.host_id = h.id
      """
          .formatted(REF);

  private static final TypeReference<Map<String, Object>> VALUES = new TypeReference<>() {};
  private static final TypeReference<Map<String, String>> TEXTS = new TypeReference<>() {};
  private static final TypeReference<List<ProbeRow>> PROBES = new TypeReference<>() {};
  private static final String EMPTY = "{}";

  private final ObjectMapper json;

  HostRows(ObjectMapper json) {
    this.json =
        json.copy()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.USE_LONG_FOR_INTS);
  }

  /**
   * Reads how an extension is told of the host.
   *
   * @param row of a statement with {@link #REF}
   * @return the host; its credentials are references
   * @throws SQLException if a column cannot be read
   */
  public HostRef ref(ResultSet row) throws SQLException {
    return new HostRef(
        row.getString("host_id"),
        row.getString("host_address"),
        read(row.getString("host_settings"), VALUES),
        read(row.getString("host_credentials"), TEXTS));
  }

  Host host(ResultSet row) throws SQLException {
    @Nullable String extension = row.getString("extension_id");
    return new Host(
        ref(row),
        extension == null ? null : new ExtensionId(extension),
        row.getString("node_id"),
        row.getString("node_id") == null || row.getBoolean("node_up"),
        texts(row.getArray("node_extensions")),
        row.getString("region"),
        read(row.getString("labels"), TEXTS),
        Admission.of(row.getString("admission")),
        new Capacity(
            row.getObject("max_sandboxes", Integer.class),
            row.getBigDecimal("max_cpus"),
            row.getObject("max_memory_bytes", Long.class)),
        new Load(
            row.getInt("load_sandboxes"),
            row.getBigDecimal("load_cpus"),
            row.getLong("load_memory_bytes")),
        probes(row.getString("probes")),
        row.getObject("created_at", OffsetDateTime.class).toInstant());
  }

  private static Set<String> texts(Array array) throws SQLException {
    return Set.of((String[]) array.getArray());
  }

  private Map<String, Host.Probed> probes(@Nullable String text) throws SQLException {
    if (text == null) {
      return Map.of();
    }
    Map<String, Host.Probed> probes = new HashMap<>();
    for (ProbeRow probe : parse(text, PROBES)) {
      probes.put(probe.extensionId(), probe.probed());
    }
    return probes;
  }

  private record ProbeRow(
      String extensionId,
      boolean usable,
      Set<String> notEnforced,
      @Nullable BigDecimal cpus,
      @Nullable Long memoryBytes,
      @Nullable Set<String> runtimes,
      @Nullable String detail,
      OffsetDateTime probedAt) {

    Host.Probed probed() {
      Optional<Probing.Room> room =
          cpus == null || memoryBytes == null
              ? Optional.empty()
              : Optional.of(new Probing.Room(cpus, memoryBytes));
      return new Host.Probed(
          usable, notEnforced, room, Optional.ofNullable(runtimes), detail, probedAt.toInstant());
    }
  }

  private <V> Map<String, V> read(String text, TypeReference<Map<String, V>> type)
      throws SQLException {
    return text.equals(EMPTY) ? Map.of() : parse(text, type);
  }

  private <T> T parse(String text, TypeReference<T> type) throws SQLException {
    try {
      return json.readValue(text, type);
    } catch (JsonProcessingException e) {
      throw new SQLException("a JSON column of table host cannot be read", e);
    }
  }
}
