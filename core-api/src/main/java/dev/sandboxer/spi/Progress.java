package dev.sandboxer.spi;

import java.util.Map;

/**
 * A step of a long call.
 *
 * @param step a short name in snake_case, such as {@code image_pull}
 * @param detail facts for people and the event log, no secrets
 */
public record Progress(String step, Map<String, String> detail) {

  /** Keeps an immutable copy. */
  public Progress {
    if (step.isBlank()) {
      throw new IllegalArgumentException("step must not be blank");
    }
    detail = Map.copyOf(detail);
  }

  /**
   * A step without details.
   *
   * @param step a short name in snake_case
   * @return the progress
   */
  public static Progress of(String step) {
    return new Progress(step, Map.of());
  }
}
