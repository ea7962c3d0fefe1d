package dev.sandboxer.ext.compose.life;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.spi.SandboxIdentity;
import java.time.Instant;
import java.util.Optional;

/**
 * Something that stands on a machine.
 *
 * @param kind what it is
 * @param id the Engine's; of a folder its name
 * @param name the Engine's; of a folder its name
 * @param service of a container, empty for all else
 * @param owner whose it is; empty if it does not carry a valid signature
 * @param made when
 * @param state of a container
 */
record Thing(
    Kind kind,
    String id,
    String name,
    String service,
    Optional<SandboxIdentity> owner,
    Instant made,
    State state) {

  /** What can stand there. */
  enum Kind {
    CONTAINER,
    /** A container in which an image is built. */
    BUILD,
    /** One that was built, or a layer of it. */
    IMAGE,
    NETWORK,
    VOLUME,
    FOLDER
  }

  /**
   * Of a container.
   *
   * @param status as the Engine calls it; empty for all else
   * @param exit code of its first process
   * @param oom whether the kernel ended a process of it for lack of memory
   * @param health as the Engine calls it; empty without a check
   * @param error why it did not start
   */
  record State(String status, int exit, boolean oom, String health, String error) {

    static final State NONE = new State("", 0, false, "", "");

    static State of(JsonNode seen) {
      return new State(
          seen.path("status").asText(),
          seen.path("exit").asInt(),
          seen.path("oom").asBoolean(),
          seen.path("health").asText(),
          seen.path("error").asText());
    }

    boolean runs() {
      return status.equals("running");
    }

    boolean ended() {
      return status.equals("exited") || status.equals("dead");
    }

    /** As a service that is no server ends. */
    boolean done() {
      return ended() && exit == 0;
    }

    boolean bad() {
      return (ended() && exit != 0) || health.equals("unhealthy");
    }

    boolean good() {
      return done() || (runs() && (health.isEmpty() || health.equals("healthy")));
    }

    String shown() {
      if (ended()) {
        return (oom ? "ended for lack of memory, code " : "ended with code ")
            + exit
            + (error.isEmpty() ? "" : " (" + error + ")");
      }
      return health.isEmpty() ? status : status + ", " + health;
    }
  }

  boolean is(Kind other) {
    return kind == other;
  }

  /** The backend's own id, as reports have it. */
  String uid() {
    return switch (kind) {
      case CONTAINER, BUILD -> id;
      case IMAGE -> "image:" + id;
      case NETWORK -> "network:" + name;
      case VOLUME -> "volume:" + name;
      case FOLDER -> "folder:" + name;
    };
  }
}
