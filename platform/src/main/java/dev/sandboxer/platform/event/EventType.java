package dev.sandboxer.platform.event;

import dev.sandboxer.yaml.Closest;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Every event that there is: when it comes and what its detail says beside {@link #COMMON}. Sinks,
 * listeners and the reference in the documents read it here.
 */
public enum EventType {
  SANDBOX_REQUESTED(
      "A sandbox was requested, is recreated, goes on to the next candidate because an attempt"
          + " failed (then error says why), or begins after the setup of its profile has run",
      field("recreated", "true if it is recreated"),
      field("attempt", "number of the attempt that failed, or ran the setup"),
      field("code", "error code of the attempt that failed"),
      field("outcome", "what that attempt left: nothing_created, created or unknown")),
  SANDBOX_PROVISIONING(
      "A backend was picked and begins to make it",
      field("attempt", "number of the try, from 1"),
      field("rejected", "backends that were not picked, each with the reason")),
  SANDBOX_IMAGE_PULL(
      "Its image is being fetched, or is there now",
      field("image", "name of the image"),
      field("status", "started or done")),
  SANDBOX_READY(
      "It can be used: for the first time, resumed, or because it could not be suspended (then error"
          + " says why)",
      field("code", "error code of the call that failed")),
  SANDBOX_ACTIVE("It was used for the first time"),
  SANDBOX_EXPIRED("A limit of its life was reached; it is removed next"),
  SANDBOX_FAILED(
      "It could not be made, or has ended by itself; what is left is removed next",
      field("code", "error code"),
      field("outcome", "what the failed call left: nothing_created, created or unknown")),
  SANDBOX_UNREACHABLE(
      "What reaches it is gone; the profile's on_lost says what follows",
      field("node", "the node that is gone; absent where it is the host that does not answer")),
  SANDBOX_REACHABLE("It is back, and the sandbox was not replaced meanwhile"),
  SANDBOX_DESTROYING("It is being removed"),
  SANDBOX_DESTROYED(
      "Everything of it was seen gone",
      field("duration_s", "seconds from the request to the end"),
      field("cleanup", "what was removed, and what was left")),
  CLEANUP_DONE(
      "What a failed sandbox had left was seen gone",
      field("cleanup", "what was removed, and what was left")),
  CLEANUP_FAILED(
      "What an attempt had left could not be removed for the second time; it is tried again, at"
          + " least once a minute, until it is gone; operators read why in /v1/health/ready",
      field("attempt", "number of the try that left it, from 1")),
  CLEANUP_ABANDONED(
      "An operator gave up the clean-up of a failed sandbox: what it had left cannot be reached",
      field("cleanup", "empty: nothing was seen")),
  SETUP_STEP(
      "A step of its profile's setup begins, before the sandbox itself is made",
      field("step", "its number, from 1"),
      field("of", "how many there are"),
      field("run", "the first line of its command")),
  SETUP_DONE(
      "The setup of its profile has run; later sandboxes use what it made",
      field("layer", "what it made, by the digest of all that it depends on"),
      field("bytes", "size of its files"),
      field("duration_ms", "how long that took, with the sandbox in which it ran")),
  SETUP_FAILED(
      "A step of its profile's setup failed; the sandbox fails too",
      field("step", "its number, from 1"),
      field("run", "the first line of its command"),
      field("reason", "how it ended, for a person"),
      field("output", "the last 2,000 characters of the first MiB that it wrote")),
  MOUNT_SYNCED(
      "Changes in a folder that was copied in came back to the host, or some of them could not",
      field("mount_path", "where the folder is inside"),
      field("written", "how many files, folders and links were written on the host"),
      field("removed", "how many were removed there"),
      field("bytes", "size of the files that were written"),
      field(
          "conflicts",
          "the first hundred paths that both sides had changed, each with where the sandbox's"
              + " version is kept beside the host's"),
      field("skipped", "the first hundred paths that were not taken, each with the reason")),
  MOUNT_ADDED(
      "Further folders of the host were copied into the living sandbox",
      field("mount_paths", "where they are inside")),
  MOUNT_LOST(
      "What the sandbox changed in a folder that was copied in could not come back to the host",
      field("mount_path", "where the folder was inside"),
      field("reason", "why, for a person")),
  NETWORK_DENIED(
      "A program of the sandbox was refused a host. Each host and port is published once a minute,"
          + " and at most twenty a minute for each sandbox",
      field("destination_host", "name or address, as the program asked for it"),
      field("destination_port", "its port"),
      field("reason", "why, for a person, with the key of the profile that would allow it")),
  SESSION_STARTED(
      "A session was bound to the sandbox", field("session_id", "the session that was bound")),
  SESSION_ENDED(
      "A session of the sandbox has ended; its end_reason is the session's",
      field("session_id", "the session that has ended")),
  BOX_STARTED(
      "A box was given the sandbox",
      field("box_id", "the box"),
      field(
          "reason",
          "new: its scope had none; vanished: the sandbox before had ended; changed: it differed"
              + " from a request")),
  QUOTA_REFUSED(
      "A quota refused a request; its subject is the tenant. Those like it that follow within a"
          + " minute are only counted",
      field(
          "quota",
          "what it counts: sandboxes, user_sandboxes, webhooks, volumes, volume_bytes, archive_bytes or boxes"),
      field("setting", "what an operator would change to raise it"),
      field("user_id", "whose quota it is, unless it is the tenant's"),
      field("limit", "how many there may be"),
      field("in_use", "how many there are"),
      field("repeats", "how many like it were refused since the last one that was told")),
  SANDBOX_POOLED("Reserved: it waits in a warm pool"),
  SANDBOX_SUSPENDING("It is being suspended: by a request, or because nobody used it"),
  SANDBOX_SUSPENDED(
      "It is suspended, or could not be resumed: then error says why",
      field("code", "error code of the call that failed")),
  SANDBOX_RESUMING("It is being resumed"),
  ROUTE_DECIDED("Reserved: a backend was picked");

  /** What the detail of every event of a sandbox says where it is known. */
  public static final List<Field> COMMON =
      List.of(
          field("profile_id", "profile"),
          field("profile_version", "its version"),
          field("extension_id", "backend"),
          field("generation", "which time it is made, from 1"),
          field("host", "where it is, once that is decided"),
          field("reachability", "public addresses, while it is ready or active"),
          field("error", "why it failed, for a person"),
          field("end_reason", "why it ends: requested, ttl, idle, lease, hard_limit and the like"),
          field(
              "timestamps",
              "created_at, ready_at, active_at, expires_at, ended_at and destroyed_at so far"));

  private final String description;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<Field> fields;

  EventType(String description, Field... fields) {
    this.description = description;
    this.fields = List.of(fields);
  }

  /** What a member of the detail means. */
  public record Field(String name, String description) {}

  /** How much an event matters to people who follow the work: a State Hub's {@code event_type}. */
  public enum Kind {
    MILESTONE,
    NOTE;

    /**
     * The name in JSON.
     *
     * @return lower case
     */
    public String text() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  private static Field field(String name, String description) {
    return new Field(name, description);
  }

  /**
   * The name in database and JSON.
   *
   * @return such as {@code sandbox.image_pull}
   */
  public String text() {
    return name().toLowerCase(java.util.Locale.ROOT).replaceFirst("_", ".");
  }

  /**
   * When it comes.
   *
   * @return a sentence without its full stop
   */
  public String description() {
    return description;
  }

  /**
   * What its detail says beside {@link #COMMON}.
   *
   * @return in order
   */
  public List<Field> fields() {
    return fields;
  }

  /**
   * How much it matters.
   *
   * @return milestone for ready and destroyed
   */
  public Kind kind() {
    return this == SANDBOX_READY || this == SANDBOX_DESTROYED ? Kind.MILESTONE : Kind.NOTE;
  }

  /**
   * Looks whether a subscription can ever be met.
   *
   * @param wanted an exact type, or a prefix that ends in {@code .*}
   * @return what is wrong with it, for a person; empty if some type fits
   */
  public static Optional<String> unknown(String wanted) {
    boolean prefix = wanted.endsWith(".*");
    Set<String> known =
        Arrays.stream(values())
            .map(EventType::text)
            .map(type -> prefix ? type.substring(0, type.indexOf('.')) + ".*" : type)
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> one = Set.of(wanted);
    if (Arrays.stream(values()).anyMatch(type -> EventFilter.matchesType(one, type.text()))) {
      return Optional.empty();
    }
    String hint =
        Closest.of(wanted, known)
            .map(near -> "did you mean '" + near + "'?")
            .orElse("GET /v1/events/types lists them");
    return Optional.of("there is no type of event '%s'; %s".formatted(wanted, hint));
  }

  /**
   * Finds a type.
   *
   * @param text such as {@code sandbox.ready}
   * @return empty if there is none
   */
  public static Optional<EventType> of(String text) {
    return Arrays.stream(values()).filter(type -> type.text().equals(text)).findFirst();
  }
}
