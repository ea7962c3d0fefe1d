package dev.sandboxer.loading;

import dev.sandboxer.spi.ExtensionDescriptor;

/** Whether an extension was built for this platform's interface. */
public final class ApiVersion {
  private ApiVersion() {}

  /**
   * Refuses any other version.
   *
   * @param declared by the extension
   * @throws RefusedException if it is not this platform's
   */
  public static void require(ExtensionDescriptor declared) throws RefusedException {
    if (declared.apiVersion() != ExtensionDescriptor.API_VERSION) {
      throw new RefusedException(
          "it was built for API version %d, this platform has %d"
              .formatted(declared.apiVersion(), ExtensionDescriptor.API_VERSION));
    }
  }
}
