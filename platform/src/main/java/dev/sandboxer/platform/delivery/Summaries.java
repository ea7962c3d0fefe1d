package dev.sandboxer.platform.delivery;

import dev.sandboxer.spi.sink.EventMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One line for a person, such as {@code Sandbox sb_... of profile.local is ready after 0.3 s}. */
final class Summaries {

  private Summaries() {}

  static String of(EventMessage event) {
    String what = "Sandbox " + subject(event);
    return switch (event.type()) {
      case "sandbox.requested" ->
          event.detail().containsKey("attempt")
              ? what + " goes on to the next backend: " + text(event, "error")
              : what + " was asked for by " + event.consumer().get("project");
      case "sandbox.provisioning" ->
          what + " is being made on " + text(event, "extension_id") + at(event);
      case "sandbox.image_pull" -> pulled(event, what);
      case "sandbox.ready" -> what + " is ready" + took(event);
      case "sandbox.active" -> what + " is in use";
      case "sandbox.expired" -> what + " has reached its end: " + text(event, "end_reason");
      case "sandbox.failed" -> what + " failed: " + text(event, "error");
      case "sandbox.unreachable" ->
          event.detail().containsKey("node")
              ? what + " cannot be reached: its node " + text(event, "node") + " is gone"
              : what + " cannot be reached: its host " + text(event, "host") + " does not answer";
      case "sandbox.reachable" -> what + " can be reached again";
      case "sandbox.pooled" -> what + " waits in a warm pool";
      case "sandbox.suspending" -> what + " is being suspended";
      case "sandbox.suspended" -> what + " is suspended";
      case "sandbox.resuming" -> what + " is being resumed";
      case "sandbox.destroying" -> what + " is being removed";
      case "sandbox.destroyed" -> what + " is gone, " + lived(event);
      case "cleanup.done" -> what + " has failed; what it had left is gone";
      case "cleanup.abandoned" -> what + " has failed; an operator gave up its clean-up";
      case "cleanup.failed" -> what + " has left something behind that could not be removed yet";
      case "setup.step" ->
          "%s waits for step %s of %s of its setup: %s"
              .formatted(what, text(event, "step"), text(event, "of"), text(event, "run"));
      case "setup.done" -> what + ": its setup is done";
      case "setup.failed" ->
          "%s: step %s of its setup %s".formatted(what, text(event, "step"), text(event, "reason"));
      case "mount.synced" ->
          "%s came back from %s".formatted(text(event, "mount_path"), sandbox(event));
      case "mount.added" -> what + " was given further folders";
      case "mount.lost" ->
          "%s could not come back from %s".formatted(text(event, "mount_path"), sandbox(event));
      case "session.started" ->
          "Session " + text(event, "session_id") + " has begun to use " + sandbox(event);
      case "session.ended" ->
          "Session %s of %s has ended: %s"
              .formatted(text(event, "session_id"), sandbox(event), text(event, "end_reason"));
      case "box.started" ->
          "Box %s has begun to use %s".formatted(text(event, "box_id"), sandbox(event));
      case "route.decided" -> what + " will be made on " + text(event, "extension_id");
      case "network.denied" ->
          "%s was refused %s:%s"
              .formatted(
                  sandbox(event), text(event, "destination_host"), text(event, "destination_port"));
      case "quota.refused" -> refused(event);
      default -> event.type() + ": " + event.subject();
    };
  }

  private static String sandbox(EventMessage event) {
    return "sandbox " + subject(event);
  }

  private static String subject(EventMessage event) {
    return event.subject() + " (" + text(event, "profile_id") + ")";
  }

  private static String pulled(EventMessage event, String what) {
    String image = text(event, "image");
    return "done".equals(event.detail().get("status"))
        ? what + ": its image " + image + " is there"
        : what + " waits for its image " + image;
  }

  private static String at(EventMessage event) {
    return event.detail().containsKey("host") ? ", host " + text(event, "host") : "";
  }

  private static String took(EventMessage event) {
    @Nullable Instant asked = time(event, "created_at");
    @Nullable Instant ready = time(event, "ready_at");
    boolean first = Integer.valueOf(1).equals(event.detail().get("generation"));
    return asked == null || ready == null || !first
        ? ""
        : " after " + seconds(Duration.between(asked, ready).toMillis() / 1000.0);
  }

  private static String lived(EventMessage event) {
    return event.detail().get("duration_s") instanceof Number seconds
        ? "it lived " + seconds(seconds.doubleValue())
        : "nothing is left of it";
  }

  private static String refused(EventMessage event) {
    Object who = event.consumer().getOrDefault("project", "a request");
    String what = event.detail().containsKey("profile_id") ? text(event, "profile_id") : "";
    return "A quota of %s refused %s%s: %s%s"
        .formatted(
            event.subject(),
            who,
            what.isEmpty() ? "" : " (" + what + ")",
            text(event, "error"),
            repeats(event));
  }

  private static String repeats(EventMessage event) {
    return event.detail().get("repeats") instanceof Number times && times.longValue() > 0
        ? "; so were %d before it".formatted(times.longValue())
        : "";
  }

  private static String seconds(double seconds) {
    if (seconds < 120) {
      return "%.1f s".formatted(seconds);
    }
    return seconds < 7200
        ? "%d min".formatted(Math.round(seconds / 60))
        : "%.1f h".formatted(seconds / 3600);
  }

  private static @Nullable Instant time(EventMessage event, String name) {
    return event.detail().get("timestamps") instanceof Map<?, ?> times
            && times.get(name) instanceof String text
        ? Instant.parse(text)
        : null;
  }

  private static String text(EventMessage event, String name) {
    return String.valueOf(event.detail().getOrDefault(name, "unknown"));
  }
}
