package dev.sandboxer.ext.e2b;

import dev.sandboxer.ext.e2b.life.Rented;
import dev.sandboxer.spi.BoxdPlacement;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.ExtensionDescriptor.PricingModel;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.IdentityMode;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.MountDelivery;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxExtensionProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Makes the extension of id {@code ext.e2b}. */
public final class E2bProvider implements SandboxExtensionProvider {

  /**
   * The server works on a create for 70 s at most, whoever still waits for it, and lists a sandbox
   * only once its start has ended.
   */
  private static final Duration LATE_EFFECTS = Duration.ofSeconds(80);

  private static final ExtensionDescriptor DESCRIPTOR =
      ExtensionDescriptor.builder("ext.e2b", "0.1.0", ExtensionDescriptor.API_VERSION)
          .hosting(Hosting.SAAS)
          // Whoever asks for less than a virtual machine gets one as well.
          .isolationLevels(EnumSet.allOf(IsolationLevel.class))
          .networkModes(Set.of(NetworkMode.NONE))
          .limits(Set.of(Limit.UID, Limit.CPUS, Limit.MEMORY))
          .architectures(Set.of("amd64"))
          .pricing(PricingModel.ALLOCATED)
          .boxd(BoxdPlacement.CHILD)
          .identity(IdentityMode.SEARCH)
          .lateEffectWindow(LATE_EFFECTS)
          .nodeBound(false)
          .mountDelivery(MountDelivery.COPY)
          .optionsSchema(resource("options.schema.json"))
          .hostSettingsSchema(resource("host.schema.json"))
          .build();

  @Override
  public ExtensionDescriptor descriptor() {
    return DESCRIPTOR;
  }

  @Override
  public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
      throws ExtensionException {
    if (!config.values().isEmpty()) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          "config has %s; ext.e2b takes none, its settings are those of its hosts"
              .formatted(new TreeSet<>(config.values().keySet())));
    }
    return new Rented(context);
  }

  private static String resource(String name) {
    try (InputStream in = Objects.requireNonNull(E2bProvider.class.getResourceAsStream(name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
