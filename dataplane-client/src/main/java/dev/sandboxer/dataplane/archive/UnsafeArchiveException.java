package dev.sandboxer.dataplane.archive;

import java.io.IOException;

/** An archive that no honest sandbox sends: nothing more of it is unpacked. */
public final class UnsafeArchiveException extends IOException {
  private static final long serialVersionUID = 1L;

  UnsafeArchiveException(String message) {
    super(message);
  }
}
