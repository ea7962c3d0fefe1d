package dev.sandboxer.ext.compose.life;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.SandboxIdentity;
import java.util.Optional;

/** Says what became of a sandbox, by the Engine's word alone. */
final class Inspections {

  private static final int KILLED = 137;

  private Inspections() {}

  static Inspection of(Listing seen, SandboxIdentity identity) {
    if (seen.of(identity).findAny().isEmpty()) {
      return new Inspection.Gone();
    }
    Optional<Thing> boxd = seen.boxd(identity);
    if (boxd.isEmpty()) {
      return new Inspection.Ended(ErrorCode.CRASH, "only a part of the project is left");
    }
    Thing.State state = boxd.get().state();
    if (state.ended()) {
      // The Engine's mark stays after one command was killed; only a killed boxd ended for it.
      boolean oom = state.oom() && state.exit() == KILLED;
      return new Inspection.Ended(oom ? ErrorCode.OOM : ErrorCode.CRASH, "boxd " + state.shown());
    }
    return switch (state.status()) {
      case "running" -> new Inspection.Running();
      case "paused" -> new Inspection.Suspended();
      default -> new Inspection.Unknown("boxd's container is " + state.status());
    };
  }
}
