package dev.sandboxer.ext.compose.project;

import java.util.Map;
import java.util.Set;

/**
 * What an image of the project is built from.
 *
 * @param service whose image it is
 * @param context folder on the machine
 * @param args of the Dockerfile, by name
 * @param dockerfile as the builder reads it
 * @param bases names of images, in full
 */
public record Build(
    String service,
    String context,
    Map<String, String> args,
    String dockerfile,
    Set<String> bases) {

  /** Keeps immutable copies. */
  public Build {
    args = Map.copyOf(args);
    bases = Set.copyOf(bases);
  }
}
