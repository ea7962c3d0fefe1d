package dev.sandboxer.cli.dataplane;

import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;

/** Nobody reads our own standard output any more, as in {@code sandboxer run -- yes | head}. */
public final class OutputClosed extends Failure {
  private static final long serialVersionUID = 1L;
  private static final int PIPE = 13;

  OutputClosed(Throwable cause) {
    super(ExitCode.bySignal(PIPE), "standard output was closed", cause);
  }
}
