package dev.sandboxer.cli.dataplane;

import java.io.IOException;

/**
 * Where a command's output goes. Blocks as long as it likes: the command is slowed down meanwhile.
 */
public interface CommandOutput {
  /** Bytes of standard output. */
  void out(byte[] bytes) throws IOException;

  /** Bytes of standard error. */
  void err(byte[] bytes) throws IOException;
}
