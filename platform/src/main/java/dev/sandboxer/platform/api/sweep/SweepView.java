package dev.sandboxer.platform.api.sweep;

import dev.sandboxer.platform.sweep.SweepReport;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A sweep as callers see it. */
@Schema(name = "Sweep")
record SweepView(
    String id,
    @Schema(
            enumeration = {"running", "done"},
            description = "done once every place has a result")
        String state,
    @Schema(description = "the only host, null for all") @Nullable String host,
    boolean dryRun,
    boolean confirm,
    Instant createdAt,
    @Schema(description = "each extension on each host") List<PlaceView> places) {

  static SweepView of(SweepReport report) {
    boolean done = report.passes().stream().allMatch(pass -> pass.endedAt() != null);
    return new SweepView(
        report.id(),
        done ? "done" : "running",
        report.host(),
        report.dryRun(),
        report.confirm(),
        report.createdAt(),
        report.passes().stream().map(PlaceView::of).toList());
  }

  @Schema(name = "SweepPlace")
  record PlaceView(
      String extension,
      String host,
      @Schema(enumeration = {"waiting", "judged", "unjudged"}) String state,
      @Schema(description = "null while it waits") @Nullable ResultView result) {

    static PlaceView of(SweepReport.Pass pass) {
      SweepReport.Result result = pass.result();
      if (result == null) {
        return new PlaceView(pass.extension(), pass.host(), "waiting", null);
      }
      return new PlaceView(
          pass.extension(),
          pass.host(),
          result.reason() == null ? "judged" : "unjudged",
          ResultView.of(result, pass.endedAt()));
    }
  }

  @Schema(name = "SweepResult")
  record ResultView(
      Instant beganAt,
      @Nullable Instant endedAt,
      @Schema(description = "objects of this installation on the backend") int listed,
      @Schema(description = "live records") int recorded,
      @Schema(description = "objects without a record") int suspects,
      @Schema(description = "those of them whose grace is over") int wanted,
      @Schema(description = "those of them that were removed") int removed,
      @Schema(description = "live records without an object") int missing,
      @Schema(description = "those of them that have failed, as the backend confirmed")
          int failedRecords,
      @Schema(description = "volumes without a record") int suspectVolumes,
      @Schema(description = "those of them that were removed") int removedVolumes,
      @Schema(description = "why nothing was judged, null if it was") @Nullable String reason,
      @Schema(description = "why not all that was wanted was done, null if it was")
          @Nullable String refused,
      @Schema(description = "at most 100") List<FindingView> findings) {

    static ResultView of(SweepReport.Result result, @Nullable Instant ended) {
      return new ResultView(
          result.beganAt(),
          ended,
          result.listed(),
          result.recorded(),
          result.unrecorded(),
          result.wanted(),
          result.removed(),
          result.missing(),
          result.failed(),
          result.unrecordedVolumes(),
          result.removedVolumes(),
          result.reason(),
          result.refused(),
          result.findings().stream().map(FindingView::of).toList());
    }
  }

  @Schema(name = "SweepFinding")
  record FindingView(
      @Schema(enumeration = {"unrecorded", "wanted", "removed", "missing", "failed"})
          String finding,
      String sandboxId,
      int generation,
      int attempt,
      @Schema(description = "the backend's own id") String providerUid) {

    static FindingView of(SweepReport.Finding finding) {
      return new FindingView(
          finding.finding(),
          finding.sandbox(),
          finding.generation(),
          finding.attempt(),
          finding.providerUid());
    }
  }
}
