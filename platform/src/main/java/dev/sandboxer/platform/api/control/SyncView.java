package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.copy.CopyReport;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * What came back of a sandbox's copied folders.
 *
 * @param mounts one for each that the sandbox may change
 */
@Schema(name = "Sync")
record SyncView(List<Folder> mounts) {

  /** One folder. */
  @Schema(name = "SyncedFolder")
  record Folder(
      @Schema(examples = "/workspace/data") String mountPath,
      @Schema(description = "files, folders and links that were written on the host") int written,
      @Schema(description = "files, folders and links that were removed there") int removed,
      @Schema(description = "size of the files that were written") long bytes,
      @Schema(description = "the first hundred paths that both sides had changed")
          List<Conflict> conflicts,
      @Schema(description = "the first hundred paths that were not taken") List<Skipped> skipped) {}

  /** A path that both sides had changed: the host's version is untouched. */
  @Schema(name = "SyncConflict")
  record Conflict(
      @Schema(examples = "notes.txt") String path,
      @Schema(
              description =
                  "where the sandbox's version is, relative to the folder; empty if the sandbox had"
                      + " removed it",
              examples = "notes.txt.sb_k3v9a0q7x2m5n8b1c4d6")
          String kept) {}

  /** A path that was not taken. */
  @Schema(name = "SyncSkipped")
  record Skipped(
      @Schema(examples = "out") String path,
      @Schema(examples = "only files, folders and links are copied back") String why) {}

  static SyncView of(Map<String, CopyReport> reports) {
    return new SyncView(
        reports.entrySet().stream().map(one -> folder(one.getKey(), one.getValue())).toList());
  }

  private static Folder folder(String path, CopyReport report) {
    return new Folder(
        path,
        report.written(),
        report.removed(),
        report.bytes(),
        report.conflicts().stream().map(one -> new Conflict(one.path(), one.kept())).toList(),
        report.skipped().stream().map(one -> new Skipped(one.path(), one.why())).toList());
  }
}
