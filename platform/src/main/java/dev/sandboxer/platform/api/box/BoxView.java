package dev.sandboxer.platform.api.box;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.box.Box;
import dev.sandboxer.platform.box.Boxes.Ensured;
import dev.sandboxer.platform.box.Difference;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A box as callers see it. */
@Schema(name = "Box")
@JsonInclude(JsonInclude.Include.NON_NULL)
record BoxView(
    @Schema(examples = "box_k3v9a0q7x2m5n8b1c4d6") String id,
    @Schema(description = "the scope's name; no other scope has it") String scope,
    @Schema(description = "where a template made the name") @Nullable String template,
    @Schema(description = "what the template names") Map<String, String> variables,
    @Schema(description = "where the caller chose the name") @Nullable String sessionId,
    @Schema(
            description = "of the sandbox; a box that has ended is made again on next use",
            examples = "ready")
        String state,
    @Schema(
            description = "the present sandbox, or the last one",
            examples = "sb_k3v9a0q7x2m5n8b1c4d6")
        String sandboxId,
    @Schema(description = "how many sandboxes it has had") int sandboxes,
    @Schema(examples = "profile.local") String profileId,
    int profileVersion,
    @Schema(examples = "ext.nsjail") String extensionId,
    Map<String, String> inputs,
    boolean persistent,
    long idleSeconds,
    Instant createdAt,
    @Schema(description = "last request for it, command in it or use of its dataplane")
        Instant usedAt,
    @Schema(
            description =
                "found: the scope had it; new: it was made; vanished: its sandbox had ended and a new"
                    + " one was made; changed: it was recreated because it differed from the"
                    + " request; extended: further folders of the host were copied in",
            enumeration = {"found", "new", "vanished", "changed", "extended"})
        @Nullable String outcome,
    @Schema(description = "what went with the sandbox before") @Nullable LostView lost) {

  static BoxView of(Box box) {
    return of(box, box.sandbox().state().text(), null, null);
  }

  /**
   * The box of a request.
   *
   * @param state of its sandbox by now
   */
  static BoxView of(Ensured ensured, String state) {
    return of(
        ensured.box(),
        state,
        ensured.outcome().name().toLowerCase(Locale.ROOT),
        ensured.lost() == null ? null : LostView.of(ensured.lost(), ensured.differences()));
  }

  private static BoxView of(
      Box box, String state, @Nullable String outcome, @Nullable LostView lost) {
    return new BoxView(
        box.id(),
        box.scope().name(),
        box.scope().template(),
        box.scope().variables(),
        box.scope().sessionId(),
        state,
        box.sandbox().id().publicId(),
        box.made(),
        box.sandbox().profileId(),
        box.sandbox().profileVersion(),
        box.sandbox().extensionId(),
        box.spec().inputs(),
        box.spec().persistent(),
        box.spec().idle(),
        box.createdAt(),
        box.usedAt(),
        outcome,
        lost);
  }

  /** What a box has lost. */
  @Schema(name = "LostWithSandbox")
  record LostView(
      @Schema(description = "the sandbox before") String sandboxId,
      @Schema(description = "for a person") String what,
      @Schema(description = "why it was recreated; empty if its sandbox had ended")
          List<DifferenceView> differences) {

    static LostView of(String sandboxId, List<Difference> differences) {
      return new LostView(
          sandboxId,
          "its processes, and its files outside of mounts",
          differences.stream().map(DifferenceView::of).toList());
    }
  }

  /** A field with both values. */
  @Schema(name = "BoxDifference")
  record DifferenceView(
      @Schema(examples = "inputs.size") String field,
      @Schema(description = "of the box, null if it has none") @Nullable String box,
      @Schema(description = "of the request, null if it has none") @Nullable String request) {

    static DifferenceView of(Difference difference) {
      return new DifferenceView(difference.field(), difference.box(), difference.request());
    }
  }
}
