package dev.sandboxer.platform.volume;

import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.quota.Asked;
import dev.sandboxer.platform.quota.Reached;
import dev.sandboxer.platform.quota.Refusals;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Caps how many volumes a tenant holds and how large they are together, until each is gone. */
@ApplicationScoped
class VolumeQuota {

  private static final int DEFAULT_VOLUMES = 100;
  private static final int MOST_VOLUMES = 1_000_000;
  private static final int DEFAULT_GIB = 100;
  private static final int MOST_GIB = 1_000_000;
  private static final String HELD =
      "select volumes, bytes, max_volumes, max_bytes from held_volumes(:tenant)";

  private final int maxVolumes;
  private final long maxBytes;
  private final Refusals refusals;

  VolumeQuota(Settings settings, Refusals refusals) {
    this.maxVolumes = settings.number(Setting.SANDBOXER_MAX_VOLUMES, DEFAULT_VOLUMES, MOST_VOLUMES);
    this.maxBytes =
        (long) settings.number(Setting.SANDBOXER_MAX_VOLUME_GIB, DEFAULT_GIB, MOST_GIB) << 30;
    this.refusals = refusals;
  }

  /** Creates of one tenant wait for each other here, until the transaction ends. */
  void reserve(Handle open, NewVolume wanted) {
    Held held =
        open.createQuery(HELD).bind("tenant", wanted.tenantId()).map((row, _) -> held(row)).one();
    Optional<Reached> reached = held.reached(wanted.sizeBytes());
    if (reached.isPresent()) {
      throw refusals.refuse(
          open, new Asked(wanted.tenantId(), wanted.consumer(), null), reached.get());
    }
  }

  private Held held(ResultSet row) throws SQLException {
    Optional<Integer> ownVolumes = Optional.ofNullable(row.getObject("max_volumes", Integer.class));
    Optional<Long> ownBytes = Optional.ofNullable(row.getObject("max_bytes", Long.class));
    return new Held(
        row.getLong("volumes"),
        row.getLong("bytes"),
        ownVolumes.orElse(maxVolumes),
        ownBytes.orElse(maxBytes),
        ownVolumes.isPresent() ? "tenant.max_volumes" : Setting.SANDBOXER_MAX_VOLUMES.name(),
        ownBytes.isPresent() ? "tenant.max_volume_bytes" : Setting.SANDBOXER_MAX_VOLUME_GIB.name());
  }

  /**
   * What a tenant holds and may hold.
   *
   * @param volumes it holds
   * @param bytes these have
   * @param maxVolumes it may hold
   * @param maxBytes these may have
   * @param volumesSetting what says so
   * @param bytesSetting what says so
   */
  private record Held(
      long volumes,
      long bytes,
      int maxVolumes,
      long maxBytes,
      String volumesSetting,
      String bytesSetting) {

    Optional<Reached> reached(long more) {
      if (volumes >= maxVolumes) {
        return Optional.of(
            reached(
                "volumes",
                volumesSetting,
                maxVolumes,
                volumes,
                "the tenant holds %d volumes and may hold %d".formatted(volumes, maxVolumes)));
      }
      if (more > maxBytes - bytes) {
        return Optional.of(
            reached(
                "volume_bytes",
                bytesSetting,
                maxBytes,
                bytes,
                "the tenant's volumes have %d bytes; with %d more they would exceed the %d that they may have"
                    .formatted(bytes, more, maxBytes)));
      }
      return Optional.empty();
    }

    private static Reached reached(
        String quota, String setting, long limit, long inUse, String message) {
      return new Reached(
          quota,
          setting,
          null,
          limit,
          inUse,
          message + "; delete one or ask the operator for a higher limit");
    }
  }
}
