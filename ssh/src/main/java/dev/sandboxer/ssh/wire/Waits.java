package dev.sandboxer.ssh.wire;

import dev.sandboxer.spi.Call;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshException.Kind;

/** Waiting under a call: its deadline moves while it makes progress. */
public final class Waits {

  private static final long SLICE_MS = 1_000;

  private Waits() {}

  /**
   * How long to wait before looking at the call again.
   *
   * @param call that waits
   * @return at most a second, in milliseconds
   */
  public static long slice(Call call) {
    return Math.clamp(call.remaining().toMillis(), 1, SLICE_MS);
  }

  /**
   * Fails once nobody waits any more.
   *
   * @param call that waits
   * @throws SshException CANCELLED or TIMEOUT
   */
  public static void check(Call call) throws SshException {
    if (call.remaining().toMillis() <= 0) {
      throw new SshException(Kind.TIMEOUT, "the time of the call is over");
    }
    if (call.cancelled()) {
      throw new SshException(Kind.CANCELLED, "the call was cancelled");
    }
  }

  /**
   * The failure of a thread that was interrupted.
   *
   * @param e what it saw
   * @return to be thrown; the thread is interrupted still
   */
  public static SshException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new SshException(Kind.CANCELLED, "the call was cancelled", e);
  }
}
