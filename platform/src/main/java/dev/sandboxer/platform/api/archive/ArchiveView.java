package dev.sandboxer.platform.api.archive;

import dev.sandboxer.platform.archive.StoredArchive;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** An archive as callers see it. */
@Schema(name = "Archive")
record ArchiveView(
    @Schema(
            description = "of all its bytes, and its name",
            examples = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
        String digest,
    long sizeBytes,
    @Schema(description = "whether a sandbox has it that is not destroyed") boolean inUse,
    Instant createdAt,
    @Schema(description = "until when it is kept even if no sandbox has it") Instant keptUntil) {

  static ArchiveView of(StoredArchive archive) {
    return new ArchiveView(
        archive.digest(),
        archive.sizeBytes(),
        archive.inUse(),
        archive.createdAt(),
        archive.keptUntil());
  }
}
