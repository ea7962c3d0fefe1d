package dev.sandboxer.spi.routing;

import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.ForPlatform;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A place that can run a sandbox. Later versions may add components; only the platform makes
 * options.
 *
 * @param extension {@code ext.<name>}
 * @param hosting who runs the machines
 * @param host the host's name
 * @param region of the host, null if it has none
 * @param labels of the host
 * @param position in the profile's list of candidates, from 0; 0 for all where it has no list
 * @param load share of the host's room that is taken, 0 for none, 1 for all; more if it is overfull
 * @param price for the sandbox's time to live, in the operator's currency; empty if nobody knows it
 *     or the strategy does not compare prices
 * @param timeToReady what creates took there lately, the newer the more they count; empty before
 *     there were enough of them
 * @param distance how far the region is from the platform's own: 0 the same or none given, 1 the
 *     same up to the first dash, such as {@code eu-west} and {@code eu-north}, 2 any other
 */
public record Option(
    String extension,
    Hosting hosting,
    String host,
    @Nullable String region,
    Map<String, String> labels,
    int position,
    double load,
    Optional<BigDecimal> price,
    Optional<Duration> timeToReady,
    int distance) {

  /** Keeps an immutable copy. */
  @ForPlatform
  public Option {
    labels = Map.copyOf(labels);
  }
}
