package dev.sandboxer.platform.sweep;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A sweep that an operator ordered.
 *
 * @param id {@code swp_...}
 * @param host the only one, null for all
 * @param dryRun whether it changes nothing
 * @param confirm whether it may remove any number
 * @param createdAt when it was ordered
 * @param passes of each place
 */
public record SweepReport(
    String id,
    @Nullable String host,
    boolean dryRun,
    boolean confirm,
    Instant createdAt,
    List<Pass> passes) {

  /** Keeps an immutable copy. */
  public SweepReport {
    passes = List.copyOf(passes);
  }

  SweepReport with(List<Pass> all) {
    return new SweepReport(id, host, dryRun, confirm, createdAt, all);
  }

  /**
   * One place.
   *
   * @param extension whom to ask
   * @param host where
   * @param endedAt null while it is to come or runs
   * @param result null as long
   */
  public record Pass(
      String extension, String host, @Nullable Instant endedAt, @Nullable Result result) {}

  /**
   * What came of a place.
   *
   * @param beganAt what was made later is not judged
   * @param listed objects
   * @param recorded live records
   * @param unrecorded objects without a record
   * @param wanted those of them whose grace is over
   * @param removed those of them that were removed
   * @param missing live records without an object
   * @param failed those of them that have failed by this
   * @param unrecordedVolumes volumes without a record
   * @param removedVolumes those of them that were removed
   * @param reason why nothing was judged, null if it was
   * @param refused why not all was done, null if it was
   * @param findings single objects and records, at most {@link #MOST_FINDINGS}
   */
  public record Result(
      Instant beganAt,
      int listed,
      int recorded,
      int unrecorded,
      int wanted,
      int removed,
      int missing,
      int failed,
      int unrecordedVolumes,
      int removedVolumes,
      @Nullable String reason,
      @Nullable String refused,
      List<Finding> findings) {

    static final int MOST_FINDINGS = 100;

    /** Keeps an immutable copy. */
    public Result {
      findings = List.copyOf(findings);
    }
  }

  /**
   * An object without a record, or a record without an object.
   *
   * @param finding {@code unrecorded, wanted, removed, missing} or {@code failed}
   * @param sandbox {@code sb_...}
   * @param generation of the sandbox
   * @param attempt within the generation
   * @param providerUid the backend's own id
   */
  public record Finding(
      String finding, String sandbox, int generation, int attempt, String providerUid) {}
}
