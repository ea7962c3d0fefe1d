package dev.sandboxer.spi;

import java.io.IOException;
import java.io.InputStream;

/**
 * An archive that belongs to a sandbox, in the bytes that it has for ever: an upload of a caller,
 * or a folder of the platform's machine as it was when the sandbox was created. What it holds is
 * hostile input, and need not be an archive at all.
 */
@FunctionalInterface
public interface Archive {

  /**
   * Opens it at its beginning, as often as needed while the call runs.
   *
   * @return at most 64 MiB; to be closed
   * @throws IOException if it cannot be read
   */
  InputStream open() throws IOException;
}
