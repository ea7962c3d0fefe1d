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
    return ExtensionDescriptor.builder("ext.nothing", "0.1.0", ExtensionDescriptor.API_VERSION)
        .isolationLevels(Set.of(IsolationLevel.PROCESS))
        .networkModes(Set.of(NetworkMode.NONE))
        .limits(Set.of(Limit.values()))
        .architectures(Set.of("amd64", "arm64"))
        .boxd(BoxdPlacement.NONE)
        .identity(IdentityMode.UNIQUE_NAME)
        .lateEffectWindow(Duration.ZERO)
        .uidLease(true) // as real backends, so that a create runs the same statements
        .build();
  }

  @Override
  public SandboxExtension create(ExtensionConfig config, ExtensionContext context) {
    return new NothingExtension(context);
  }
}
