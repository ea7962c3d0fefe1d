package dev.sandboxer.spi;

import java.time.Duration;

/**
 * Place, deadline, cancellation and progress of one call. Usable from any thread while the call
 * runs.
 */
public interface Call {

  /**
   * Where the call takes effect: the host of the request, the listing or the probe, or the one on
   * which the attempt was made; with the address, settings and credentials that it has now.
   *
   * @return the host
   * @throws IllegalStateException if the call is about no host: of a sink, or the opening of a
   *     stream
   */
  default HostRef host() {
    throw new IllegalStateException("this call is about no host");
  }

  /**
   * How long the call may still take. Measured on a clock that does not jump; progress prolongs it
   * under a hard cap.
   *
   * @return never negative
   */
  Duration remaining();

  /**
   * Whether the result is no longer wanted. The thread is interrupted as well.
   *
   * @return true once cancelled or overrun
   */
  boolean cancelled();

  /**
   * Has something run when the call is cancelled or overruns, such as closing a socket that blocks;
   * at once if that has happened already. It runs on another thread.
   *
   * @param action quick, must not throw
   */
  void onCancel(Runnable action);

  /**
   * Reports a step, which resets the idle deadline.
   *
   * @param progress what has been reached
   */
  void progress(Progress progress);
}
