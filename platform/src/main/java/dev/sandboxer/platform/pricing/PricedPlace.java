package dev.sandboxer.platform.pricing;

import dev.sandboxer.platform.sandbox.ExtensionId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a price is of: a host, or a backend without regard to the host.
 *
 * @param host its name, null for every host
 * @param extension the backend, null for every one on the host
 * @param region of the provider, null for every one
 */
record PricedPlace(
    @Nullable String host, @Nullable ExtensionId extension, @Nullable String region) {

  /** Where the price of a sandbox may stand, in the order in which they count. */
  static List<PricedPlace> of(ExtensionId extension, String host, @Nullable String region) {
    return List.of(
        new PricedPlace(host, extension, null),
        new PricedPlace(host, null, null),
        new PricedPlace(null, extension, region),
        new PricedPlace(null, extension, null));
  }

  @Override
  public String toString() {
    if (host != null) {
      return "host " + host + (extension == null ? "" : " with " + extension);
    }
    return extension + (region == null ? "" : " in " + region);
  }
}
