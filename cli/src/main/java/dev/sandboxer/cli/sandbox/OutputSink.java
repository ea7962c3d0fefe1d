package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.dataplane.exec.CommandOutput;

/** Where a command's output goes, and what of it stands in the JSON document. */
public interface OutputSink extends CommandOutput {
  /** Adds what was kept to the document. */
  void describe(ObjectNode document);
}
