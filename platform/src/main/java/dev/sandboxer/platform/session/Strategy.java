package dev.sandboxer.platform.session;

/** What the grant door binds a sandbox to. The server decides; clients only ask. */
public enum Strategy {
  /** Each thread has its own: the default. */
  THREAD(ScopeType.THREAD),
  /** All threads of an assistant share one. */
  ASSISTANT(ScopeType.ASSISTANT),
  /** All work of a user shares one. */
  USER(ScopeType.USER),
  /** Each run has its own. */
  RUN(ScopeType.RUN);

  private final ScopeType scope;

  Strategy(ScopeType scope) {
    this.scope = scope;
  }

  /**
   * The scope's type.
   *
   * @return the type
   */
  public ScopeType scope() {
    return scope;
  }
}
