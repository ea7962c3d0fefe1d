package dev.sandboxer.cli.dataplane;

import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;

/**
 * The sandbox refused to start a command: there is no such program, it may not be executed, the
 * call is wrong.
 */
public final class CommandRefused extends Failure {
  private static final long serialVersionUID = 1L;
  private static final int CANNOT_EXECUTE = 126;
  private static final int NOT_FOUND = 127;

  CommandRefused(String code, String message) {
    super(status(code, message), message + (code.isEmpty() ? "" : " (" + code + ")"), null);
  }

  /**
   * As a shell tells them: 127 for a program that is not there, 126 for one that cannot be
   * executed.
   */
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
