package dev.sandboxer.platform.volume;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.id.Ids;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.spi.Mount;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The named volumes of all tenants. */
@ApplicationScoped
public class Volumes {

  private static final Duration STEP = Duration.ofMillis(50);

  private final Jdbi jdbi;
  private final Ids ids;
  private final VolumeRows rows;
  private final VolumeHolds holds;
  private final VolumeQuota quota;
  private final VolumeWork work;
  private final Hosts hosts;
  private final Failpoints failpoints;

  Volumes(
      Jdbi jdbi,
      Ids ids,
      VolumeRows rows,
      VolumeHolds holds,
      VolumeQuota quota,
      VolumeWork work,
      Hosts hosts,
      Failpoints failpoints) {
    this.jdbi = jdbi;
    this.ids = ids;
    this.rows = rows;
    this.holds = holds;
    this.quota = quota;
    this.work = work;
    this.hosts = hosts;
    this.failpoints = failpoints;
  }

  /**
   * A volume with who has it.
   *
   * @param volume its record
   * @param usedBytes what is taken of it, empty if its backend does not say
   * @param holders sandboxes that have it
   */
  public record Shown(Volume volume, OptionalLong usedBytes, List<VolumeHolds.Holder> holders) {

    /** Keeps an immutable copy. */
    public Shown {
      holders = List.copyOf(holders);
    }
  }

  /**
   * Records a volume and has it made. Blocks until that is done, or for the time given where
   * another node does it.
   *
   * @param wanted what
   * @param place where
   * @param wait how long
   * @return its record, ready or still being made
   * @throws ProblemException QUOTA_EXCEEDED; INVALID_STATE if the tenant has one of that name; the
   *     backend's own code if it could not be made: then nothing is left of it
   */
  public Volume create(NewVolume wanted, VolumePlace place, Duration wait) {
    String id = ids.sandbox().raw();
    boolean here =
        jdbi.inTransaction(
            open -> {
              quota.reserve(open, wanted);
              if (!rows.insert(open, id, wanted, place)) {
                throw exists(open, wanted);
              }
              return hosts.reaches(open, place.host());
            });
    failpoints.reach("volume.recorded");
    if (here) {
      work.on(id);
    }
    Volume made = made(wanted, wait);
    if (made.state() == Volume.State.FAILED) {
      throw undone(made);
    }
    return made;
  }

  private ProblemException exists(Handle open, NewVolume wanted) {
    String state =
        rows.find(open, wanted.tenantId(), wanted.name())
            .map(volume -> volume.state().text())
            .orElse("there");
    return new ProblemException(
        ErrorCode.INVALID_STATE,
        "volume '%s' exists already, and is %s".formatted(wanted.name(), state));
  }

  private Volume made(NewVolume wanted, Duration wait) {
    long start = System.nanoTime();
    while (true) {
      Volume now = require(wanted.tenantId(), wanted.name());
      if (now.state() != Volume.State.MAKING || System.nanoTime() - start > wait.toNanos()) {
        return now;
      }
      pause();
    }
  }

  /** The row is written by another node, or by this one's scheduled work: nothing here is woken. */
  private static void pause() {
    try {
      Thread.sleep(STEP);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ProblemException(ErrorCode.UNAVAILABLE, "the platform is being stopped");
    }
  }

  /** The caller learns why; what was begun is removed. */
  private ProblemException undone(Volume failed) {
    jdbi.useTransaction(open -> rows.remove(open, failed));
    work.on(failed.id());
    String code = String.valueOf(failed.failureCode());
    return new ProblemException(
        ErrorCode.of(dev.sandboxer.spi.ErrorCode.valueOf(code)),
        "volume '%s' cannot be made by %s on host %s: %s"
            .formatted(
                failed.name(), failed.extension(), failed.host().id(), failed.failureMessage()));
  }

  /**
   * Lists a tenant's by name.
   *
   * @param tenantId owner
   * @param after the last name of the page before, empty for the first page
   * @param limit how many at most
   * @return a page
   */
  public List<Volume> list(String tenantId, String after, int limit) {
    return jdbi.withHandle(open -> rows.list(open, tenantId, after, limit));
  }

  /**
   * Looks at one, and asks its backend what is taken of it.
   *
   * @param tenantId owner
   * @param name the tenant's name for it
   * @return the volume with who has it
   * @throws ProblemException NOT_FOUND
   */
  public Shown show(String tenantId, String name) {
    Volume volume = require(tenantId, name);
    List<VolumeHolds.Holder> holders = jdbi.withHandle(open -> holds.of(open, volume));
    return new Shown(volume, work.used(volume), holders);
  }

  /**
   * Has one removed with its contents, unless a sandbox has it. Blocks until the backend has
   * answered once; after that its removal is tried again until it is done.
   *
   * @param tenantId owner
   * @param name the tenant's name for it
   * @return its record, if it is not removed yet
   * @throws ProblemException NOT_FOUND; VOLUME_IN_USE with the sandboxes that have it
   */
  public Optional<Volume> delete(String tenantId, String name) {
    String id =
        jdbi.inTransaction(
            open -> {
              Volume volume = rows.lock(open, tenantId, name).orElseThrow(() -> notFound(name));
              List<VolumeHolds.Holder> holders = holds.of(open, volume);
              if (!holders.isEmpty()) {
                throw inUse(name, holders);
              }
              rows.remove(open, volume);
              return volume.id();
            });
    failpoints.reach("volume.remove_recorded");
    work.on(id);
    return jdbi.withHandle(open -> rows.find(open, tenantId, name))
        .filter(now -> now.id().equals(id));
  }

  /**
   * Forgets one that is being removed and whose backend is gone for good.
   *
   * @param tenantId owner
   * @param name the tenant's name for it
   * @throws ProblemException NOT_FOUND
   */
  public void forget(String tenantId, String name) {
    jdbi.useTransaction(
        open -> {
          Volume volume = rows.lock(open, tenantId, name).orElseThrow(() -> notFound(name));
          rows.forget(open, volume);
        });
  }

  private static ProblemException inUse(String name, List<VolumeHolds.Holder> holders) {
    List<String> sandboxes = holders.stream().map(VolumeHolds.Holder::sandbox).toList();
    return new ProblemException(
        Problem.of(
                ErrorCode.VOLUME_IN_USE,
                "volume '%s' is in use by %s; end that first".formatted(name, sandboxes))
            .with("volume", name)
            .with("sandbox_id", sandboxes.getFirst()));
  }

  /**
   * Whether a tenant has all volumes that are to be mounted.
   *
   * @param tenantId owner
   * @param mounts only volumes are looked at
   * @return what is wrong with the first that cannot be mounted, for a person
   */
  public Optional<String> missing(String tenantId, List<Mount> mounts) {
    for (String name : VolumeHolds.volumes(mounts).keySet()) {
      if (jdbi.withHandle(open -> rows.find(open, tenantId, name)).isEmpty()) {
        return Optional.of(unknown(name));
      }
    }
    return Optional.empty();
  }

  /**
   * Where the volumes of some mounts are.
   *
   * @param tenantId owner
   * @param mounts only volumes are looked at
   * @return names to places; what is not there is left out
   */
  public Map<String, VolumePlace> places(String tenantId, List<Mount> mounts) {
    Map<String, VolumePlace> places = new LinkedHashMap<>();
    for (String name : VolumeHolds.volumes(mounts).keySet()) {
      jdbi.withHandle(open -> rows.find(open, tenantId, name))
          .ifPresent(
              volume -> places.put(name, new VolumePlace(volume.extension(), volume.host().id())));
    }
    return places;
  }

  private Volume require(String tenantId, String name) {
    return jdbi.withHandle(open -> rows.find(open, tenantId, name))
        .orElseThrow(() -> notFound(name));
  }

  private static ProblemException notFound(String name) {
    return new ProblemException(ErrorCode.NOT_FOUND, "there is no volume '%s'".formatted(name));
  }

  static String unknown(String name) {
    return "there is no volume '%s'; POST /v1/volumes (sandboxer volume create) makes one"
        .formatted(name);
  }
}
