package dev.sandboxer.platform.sandbox;

import org.jdbi.v3.core.Handle;

/** Observes every transition, inside its transaction. What it throws undoes the transition. */
public interface TransitionListener {

  /**
   * Called once a change has been written and before it is committed.
   *
   * @param transaction the open transaction; {@link Handle#afterCommit} for what must wait
   * @param transition what changed
   */
  void changed(Handle transaction, Transition transition);
}
