package dev.sandboxer.cli.dataplane;

import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.dataplane.DataplaneException;
import dev.sandboxer.dataplane.OutputClosed;
import dev.sandboxer.dataplane.StreamRefused;

/** A failed call to a sandbox, with the exit code that a shell gives for it. */
public final class DataplaneFailure extends Failure {
  private static final long serialVersionUID = 1L;
  private static final int CANNOT_EXECUTE = 126;
  private static final int NOT_FOUND = 127;
  private static final int PIPE = 13;

  public DataplaneFailure(DataplaneException cause) {
    super(status(cause), cause.text(), cause);
  }

  private static int status(DataplaneException cause) {
    return switch (cause) {
      case OutputClosed _ -> ExitCode.bySignal(PIPE);
      case StreamRefused refused -> status(refused.code(), refused.text());
      default -> ExitCode.SANDBOXER;
    };
  }

  /** 127 for a program that is not there, 126 for one that cannot be executed. */
  private static int status(String code, String message) {
    return switch (code) {
      case "NOT_FOUND" -> NOT_FOUND;
      case "VALIDATION" -> notFound(message) ? NOT_FOUND : CANNOT_EXECUTE;
      default -> ExitCode.SANDBOXER;
    };
  }

  private static boolean notFound(String message) {
    return message.contains("not found") || message.contains("no such file");
  }
}
