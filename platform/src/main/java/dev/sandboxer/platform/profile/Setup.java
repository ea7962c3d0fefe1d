package dev.sandboxer.platform.profile;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What is run once for a profile, in a sandbox of its own; its sandboxes get what that has put into
 * {@link #FOLDER}.
 *
 * @param steps commands, in order; empty for none
 * @param sizeBytes what they may put there
 * @param variables names of the profile's own environment, which they have
 */
public record Setup(List<Step> steps, long sizeBytes, Set<String> variables) {

  /** Of a profile without one. */
  public static final Setup NONE = new Setup(List.of(), 0, Set.of());

  /** Where steps put what is to be kept. */
  public static final String FOLDER = "/run/setup";

  /** Keeps immutable copies. */
  public Setup {
    steps = List.copyOf(steps);
    variables = Set.copyOf(variables);
  }

  /**
   * A line for {@code /bin/sh} in the workspace.
   *
   * @param run the line, or several
   * @param timeout after which it is killed and has failed
   */
  public record Step(String run, Duration timeout) {}
}
