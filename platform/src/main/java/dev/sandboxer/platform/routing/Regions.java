package dev.sandboxer.platform.routing;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far regions are from the platform's own. Names are the operator's, such as {@code eu-west}.
 */
final class Regions {

  private static final int NEAR = 1;
  private static final int FAR = 2;

  private final Optional<String> own;

  Regions(Optional<String> own) {
    this.own = own;
  }

  /** As in {@link dev.sandboxer.spi.routing.Option#distance()}. */
  int distance(@Nullable String region) {
    if (region == null || own.isEmpty() || own.get().equals(region)) {
      return 0;
    }
    return area(own.get()).equals(area(region)) ? NEAR : FAR;
  }

  private static String area(String region) {
    int dash = region.indexOf('-');
    return dash < 0 ? region : region.substring(0, dash);
  }
}
