package dev.sandboxer.platform.mount;

/** A folder may not be mounted. The message says which, why, and what would help. */
public final class MountRefusedException extends Exception {

  private static final long serialVersionUID = 1L;

  MountRefusedException(String message) {
    super(message);
  }
}
