package dev.sandboxer.dataplane.exec;

import java.io.IOException;

/**
 * Receives a command's output, on one thread, call after call. A call may block as long as it
 * likes: nothing more is read meanwhile, and the command is slowed down. After an IOException the
 * command is ended, and who waits for it gets {@link dev.sandboxer.dataplane.OutputClosed}.
 */
public interface CommandOutput {
  /** Bytes of standard output; of a terminal, all of its output. */
  void out(byte[] bytes) throws IOException;

  /** Bytes of standard error. */
  void err(byte[] bytes) throws IOException;
}
