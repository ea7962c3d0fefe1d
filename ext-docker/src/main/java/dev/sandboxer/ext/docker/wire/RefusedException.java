package dev.sandboxer.ext.docker.wire;

import java.io.IOException;

/** The Engine has answered, and does not do it. */
public final class RefusedException extends IOException {

  private static final long serialVersionUID = 1L;

  private final int status;

  RefusedException(int status, String said) {
    super(said.replaceAll("\\p{Cntrl}+", " ").strip());
    this.status = status;
  }

  /**
   * What the Engine answered.
   *
   * @return such as 409
   */
  public int status() {
    return status;
  }
}
