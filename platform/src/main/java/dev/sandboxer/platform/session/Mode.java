package dev.sandboxer.platform.session;

/** What a negotiation may do. */
public enum Mode {
  /** Only find a live session; the short protocol calls it {@code get}. */
  ATTACH_ONLY,
  /** Find one or make one. */
  ENSURE,
  /** Make one; fail if there is one. */
  CREATE_ONLY
}
