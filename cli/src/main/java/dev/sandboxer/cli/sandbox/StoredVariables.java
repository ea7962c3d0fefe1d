package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import picocli.CommandLine.Option;

/** The environment of all commands, which the platform stores. */
public final class StoredVariables {
  @Option(
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description =
          "A variable for every command inside, stored encrypted with the record; may be repeated.")
  private Map<String, String> env = Map.of();

  /** Adds them to the body of a create. */
  public void putInto(ObjectNode body) {
    if (!env.isEmpty()) {
      env.forEach(body.putObject("env")::put);
    }
  }
}
