package dev.sandboxer.platform.session;

import dev.sandboxer.platform.sandbox.SandboxState;

/** A session's state as callers see it. It is stored nowhere: session and sandbox say it. */
public enum Phase {
  PROVISIONING("provisioning", "Provisioning"),
  ACTIVE("active", "Active"),
  IDLE("idle", "Idle"),
  SUSPENDED("suspended", "Idle"),
  TERMINATING("terminated", "Terminating"),
  TERMINATED("terminated", "Gone"),
  FAILED("failed", "Gone");

  private final String session;
  private final String grant;

  Phase(String session, String grant) {
    this.session = session;
    this.grant = grant;
  }

  /**
   * The name in the session protocol.
   *
   * @return lower case
   */
  public String session() {
    return session;
  }

  /**
   * The name in the grant protocol.
   *
   * @return capitalised
   */
  public String grant() {
    return grant;
  }

  static Phase of(SessionRow row) {
    SandboxState state = row.sandbox().state();
    if (state == SandboxState.FAILED) {
      return FAILED;
    }
    if (state == SandboxState.DESTROYED) {
      return TERMINATED;
    }
    if (state.ended()) {
      return TERMINATING;
    }
    return row.endedAt() == null ? living(row, state) : TERMINATED;
  }

  private static Phase living(SessionRow row, SandboxState state) {
    return switch (state) {
      case READY, ACTIVE -> used(row) ? ACTIVE : IDLE;
      case SUSPENDING, SUSPENDED -> SUSPENDED;
      default -> PROVISIONING;
    };
  }

  private static boolean used(SessionRow row) {
    return row.lastUse().filter(at -> at.plus(row.idle()).isAfter(row.readAt())).isPresent();
  }
}
