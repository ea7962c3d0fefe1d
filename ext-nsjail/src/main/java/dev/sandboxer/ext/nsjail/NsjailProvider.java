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

/** Makes {@link NsjailExtension}; takes no settings. */
public final class NsjailProvider implements SandboxExtensionProvider {

  private static final ExtensionDescriptor DESCRIPTOR =
      new ExtensionDescriptor(
          "ext.nsjail",
          "0.1.0",
          ExtensionDescriptor.API_VERSION,
          ExtensionDescriptor.Hosting.SELF_HOSTED,
          Set.of(IsolationLevel.PROCESS),
          Set.of(NetworkMode.NONE),
          EnumSet.allOf(Limit.class),
          ExtensionDescriptor.Persistence.NONE,
          Set.of(),
          Set.of(Architecture.ofHost()),
          ExtensionDescriptor.PricingModel.FREE,
          BoxdPlacement.INIT,
          IdentityMode.UNIQUE_NAME,
          Duration.ZERO,
          true);

  @Override
  public ExtensionDescriptor descriptor() {
    return DESCRIPTOR;
  }

  @Override
  public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
      throws ExtensionException {
    return NsjailExtension.create(context);
  }
}
