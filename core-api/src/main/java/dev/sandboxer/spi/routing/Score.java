package dev.sandboxer.spi.routing;

/**
 * How good an option is.
 *
 * @param value the lower, the better; infinite for what should come last
 * @param reason what the value stands for, for a person, such as {@code 0.12 EUR an hour}
 */
public record Score(double value, String reason) {

  /** Checks the values. */
  public Score {
    if (Double.isNaN(value)) {
      throw new IllegalArgumentException("a score must be a number");
    }
    if (reason.isBlank()) {
      throw new IllegalArgumentException("a score must say what it stands for");
    }
  }
}
