package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.terminal.Streams;
import java.io.IOException;

/** Output goes on raw, as it comes. */
record PassThrough(Streams streams) implements OutputSink {
  @Override
  public void out(byte[] bytes) throws IOException {
    streams.out().write(bytes);
    streams.out().flush();
  }

  @Override
  public void err(byte[] bytes) throws IOException {
    streams.err().write(bytes);
    streams.err().flush();
  }

  @Override
  public void describe(ObjectNode document) {} // nothing was kept
}
