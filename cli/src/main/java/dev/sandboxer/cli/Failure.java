package dev.sandboxer.cli;

import org.jspecify.annotations.Nullable;

/**
 * Something that a person must be told in one line, with the exit code that goes with it. The
 * message says what was wrong, with what value, and what to do; it is printed as it is, after
 * escaping.
 */
public class Failure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  /** A failure that ends the command line with {@code exitCode}. */
  public Failure(int exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** Sandboxer itself failed: exit code 125. */
  public static Failure sandboxer(String message) {
    return new Failure(ExitCode.SANDBOXER, message, null);
  }

  /** The same with its cause, for `--debug`. */
  public static Failure sandboxer(String message, Throwable cause) {
    return new Failure(ExitCode.SANDBOXER, message, cause);
  }

  /** The call is wrong: exit code 2. */
  public static Failure usage(String message) {
    return new Failure(ExitCode.USAGE, message, null);
  }

  /** The exit code of the process. */
  public int exitCode() {
    return exitCode;
  }

  /** The message, never null. */
  public String text() {
    return String.valueOf(getMessage());
  }
}
