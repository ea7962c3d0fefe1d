package dev.sandboxer.cli.dataplane;

import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;

/** The sandbox refused something about a file, and said why. */
public final class FilesRefused extends Failure {
  private static final long serialVersionUID = 1L;

  private final String code;

  FilesRefused(String code, String message) {
    super(ExitCode.SANDBOXER, message, null);
    this.code = code;
  }

  /** The dataplane's error code, empty when it named none. */
  public String code() {
    return code;
  }
}
