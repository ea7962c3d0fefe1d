package dev.sandboxer.cli.dataplane;

import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import org.jspecify.annotations.Nullable;

/** The connection to a sandbox broke, or could not be made: coming again may help. */
public final class ConnectionLost extends Failure {
  private static final long serialVersionUID = 1L;

  ConnectionLost(String message, @Nullable Throwable cause) {
    super(ExitCode.SANDBOXER, message, cause);
  }
}
