package dev.sandboxer.bench.backend;

import dev.sandboxer.spi.BoxdPlacement;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.IdentityMode;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxExtensionProvider;
import java.time.Duration;
import java.util.Set;

/**
 * Declares {@code ext.nothing}: its sandboxes are records alone. It keeps every limit, because
 * nothing ever runs.
 */
public final class NothingProvider implements SandboxExtensionProvider {

  @Override
  public ExtensionDescriptor descriptor() {
    return new ExtensionDescriptor(
        "ext.nothing",
        "0.1.0",
        ExtensionDescriptor.API_VERSION,
        ExtensionDescriptor.Hosting.SELF_HOSTED,
        Set.of(IsolationLevel.PROCESS),
        Set.of(NetworkMode.NONE),
        Set.of(Limit.values()),
        ExtensionDescriptor.Persistence.NONE,
        Set.of(),
        Set.of("amd64", "arm64"),
        ExtensionDescriptor.PricingModel.FREE,
        BoxdPlacement.NONE,
        IdentityMode.UNIQUE_NAME,
        Duration.ZERO,
        true);
  }

  @Override
  public SandboxExtension create(ExtensionConfig config, ExtensionContext context) {
    return new NothingExtension();
  }
}
