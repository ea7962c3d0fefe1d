package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.BoxdPlacement;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.IdentityMode;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxExtensionProvider;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** Makes {@link NsjailExtension}. */
public final class NsjailProvider implements SandboxExtensionProvider {

  private static final ExtensionDescriptor DESCRIPTOR =
      ExtensionDescriptor.builder("ext.nsjail", "0.1.0", ExtensionDescriptor.API_VERSION)
          .isolationLevels(Set.of(IsolationLevel.PROCESS))
          .networkModes(Set.of(NetworkMode.NONE))
          .limits(EnumSet.allOf(Limit.class))
          .persistence(ExtensionDescriptor.Persistence.VOLUMES)
          .architectures(Set.of(Architecture.ofHost()))
          .boxd(BoxdPlacement.INIT)
          .identity(IdentityMode.UNIQUE_NAME)
          .lateEffectWindow(Duration.ZERO)
          .nodeBound(true)
          .uidLease(true)
          .settings(Set.of(NsjailPath.SETTING))
          .build();

  @Override
  public ExtensionDescriptor descriptor() {
    return DESCRIPTOR;
  }

  @Override
  public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
      throws ExtensionException {
    return NsjailExtension.create(config, context);
  }
}
