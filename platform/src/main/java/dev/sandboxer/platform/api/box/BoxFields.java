package dev.sandboxer.platform.api.box;

import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.MountFields;
import dev.sandboxer.platform.api.control.ConsumerView;
import dev.sandboxer.platform.api.control.SandboxFields;
import dev.sandboxer.platform.box.BoxSpec;
import dev.sandboxer.platform.box.OnChange;
import dev.sandboxer.platform.sandbox.Consumer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The fields that requests for boxes and pipelines have in common. */
public final class BoxFields {

  /** The names of those that say what a box is made of. */
  public static final List<String> OF_SPEC =
      List.of(
          "profile",
          "inputs",
          "env",
          "mounts",
          "labels",
          "ttl_seconds",
          "idle_seconds",
          "persistent");

  /** The form of a pipeline's id. */
  public static final Pattern PIPELINE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

  /** The same in words. */
  public static final String PIPELINE_WANTED =
      "a pipeline's id, 1 to 128 of A-Za-z0-9._-, a letter or digit first";

  private static final Pattern ON_CHANGE = Pattern.compile("conflict|recreate");
  private static final long LEAST_IDLE = 10;

  private BoxFields() {}

  /**
   * What a box is made of.
   *
   * @param body of a request
   * @return checked
   * @throws dev.sandboxer.platform.problem.ProblemException VALIDATION naming field and value
   */
  public static BoxSpec spec(Body body) {
    return new BoxSpec(
        SandboxFields.profile(body),
        SandboxFields.inputs(body),
        MountFields.mounts(body, "mounts"),
        SandboxFields.labels(body),
        consumer(body).orElseGet(() -> new Consumer("agt", "boxes", null, null, Map.of())),
        body.optionalNumber("ttl_seconds", 1, SandboxFields.MAX_SECONDS),
        body.optionalNumber("idle_seconds", LEAST_IDLE, SandboxFields.MAX_SECONDS),
        body.yes("persistent"));
  }

  /**
   * Who asks.
   *
   * @param body of a request
   * @return empty if it does not say so
   */
  public static Optional<Consumer> consumer(Body body) {
    return body.optionalObject("consumer").map(ConsumerView::read).map(ConsumerView::asConsumer);
  }

  /**
   * What happens to a living box that differs from the request.
   *
   * @param body of a request
   * @return empty if it does not say so
   */
  public static Optional<OnChange> onChange(Body body) {
    return body.optionalText("on_change", ON_CHANGE, "conflict or recreate")
        .map(text -> OnChange.valueOf(text.toUpperCase(Locale.ROOT)));
  }
}
