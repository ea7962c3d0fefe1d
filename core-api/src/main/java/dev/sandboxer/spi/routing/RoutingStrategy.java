package dev.sandboxer.spi.routing;

/**
 * Orders places that can all run a sandbox. Found by {@link java.util.ServiceLoader}: a public
 * class with a public constructor without parameters.
 *
 * <p>The same option must always have the same score: no clock, no random numbers, no state.
 * Options with equal scores are ordered by the platform: more labels of {@code prefer} first, then
 * the profile's own order of candidates, then the less loaded host, then the name of the host.
 */
public interface RoutingStrategy {

  /**
   * What a profile calls it.
   *
   * @return lower case letters, digits and dashes, such as {@code lowest-cost}
   */
  String name();

  /**
   * Whether {@link Option#price()} is wanted. Prices may take a call to a provider.
   *
   * @return false if prices make no difference
   */
  default boolean comparesPrices() {
    return false;
  }

  /**
   * Scores one option. Called for each option of each create: must not block.
   *
   * @param option a place that meets all requirements
   * @return the lower, the better
   */
  Score score(Option option);
}
