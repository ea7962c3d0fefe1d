package dev.sandboxer.platform.mount;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;

/** A folder may not be mounted. The message says which, why, and what would help. */
public final class MountRefusedException extends Exception {

  private static final long serialVersionUID = 1L;

  MountRefusedException(String message) {
    super(message);
  }

  /** A folder that the platform could not look at. */
  static MountRefusedException unreadable(Path folder, IOException cause) {
    return new MountRefusedException(folder + " cannot be read: " + reason(folder, cause));
  }

  /** The same, of a walk through it. */
  static MountRefusedException unreadable(Path folder, UncheckedIOException cause) {
    return unreadable(folder, Objects.requireNonNull(cause.getCause()));
  }

  private static String reason(Path folder, IOException cause) {
    if (!(cause instanceof FileSystemException failure)) {
      return String.valueOf(cause.getMessage());
    }
    String at = failure.getFile() == null ? folder.toString() : failure.getFile();
    return switch (failure) {
      case AccessDeniedException _ -> "the platform's user may not read " + at;
      case NoSuchFileException _ -> at + " is gone";
      case FileSystemLoopException _ -> at + " leads back to itself";
      default -> at + ": " + failure.getReason();
    };
  }
}
