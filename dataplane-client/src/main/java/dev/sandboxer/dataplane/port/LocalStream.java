package dev.sandboxer.dataplane.port;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** This side of a byte stream to a port inside. */
public interface LocalStream {
  /** What is sent to the port; its end is passed on. */
  InputStream input() throws IOException;

  /** Where the port's bytes go; while a write blocks, nothing more is read from the sandbox. */
  OutputStream output() throws IOException;

  /**
   * The port sends no more; bytes may still go to it.
   *
   * @throws IOException when this side is gone
   */
  void endOutput() throws IOException;
}
