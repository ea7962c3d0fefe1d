package dev.sandboxer.ext.compose;

import dev.sandboxer.ext.compose.life.Projects;
import dev.sandboxer.spi.BoxdPlacement;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.IdentityMode;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.MountDelivery;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxExtensionProvider;
import dev.sandboxer.spi.image.ImagePolicy;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Makes the extension of id {@code ext.compose-ssh}. */
public final class ComposeProvider implements SandboxExtensionProvider {

  private static final Set<String> KEYS = Set.of("images", "pull");

  /**
   * The longest build or `up`, which a lost connection leaves running, and what the Engine does
   * then.
   */
  private static final Duration LATE_EFFECTS = Duration.ofMinutes(6);

  private static final ExtensionDescriptor DESCRIPTOR =
      ExtensionDescriptor.builder("ext.compose-ssh", "0.1.0", ExtensionDescriptor.API_VERSION)
          .isolationLevels(Set.of(IsolationLevel.CONTAINER))
          .networkModes(Set.of(NetworkMode.NONE))
          .limits(EnumSet.complementOf(EnumSet.of(Limit.UID)))
          .architectures(Set.of("amd64", "arm64"))
          .boxd(BoxdPlacement.INIT)
          .identity(IdentityMode.UNIQUE_NAME)
          .lateEffectWindow(LATE_EFFECTS)
          .nodeBound(false)
          .secretFiles(true)
          .mountDelivery(MountDelivery.COPY)
          .archiveOptions(Set.of(Projects.PROJECT))
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
    Set<String> unknown = new TreeSet<>(config.values().keySet());
    unknown.removeAll(KEYS);
    if (!unknown.isEmpty()) {
      throw wrong("config has " + unknown + "; it may have " + new TreeSet<>(KEYS));
    }
    return new Projects(context, ImagePolicy.of(config));
  }

  private static ExtensionException wrong(String message) {
    return new ExtensionException(ErrorCode.VALIDATION, message);
  }

  private static String resource(String name) {
    try (InputStream in = Objects.requireNonNull(ComposeProvider.class.getResourceAsStream(name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
