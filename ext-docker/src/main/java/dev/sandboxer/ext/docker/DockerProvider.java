package dev.sandboxer.ext.docker;

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
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/** Makes {@link DockerExtension}. */
public final class DockerProvider implements SandboxExtensionProvider {

  /** An Engine goes on with a create whose caller went away. */
  private static final Duration LATE_EFFECTS = Duration.ofMinutes(1);

  private static final ExtensionDescriptor DESCRIPTOR =
      ExtensionDescriptor.builder("ext.docker", "0.1.0", ExtensionDescriptor.API_VERSION)
          .isolationLevels(Set.of(IsolationLevel.CONTAINER))
          .networkModes(Set.of(NetworkMode.NONE))
          .limits(EnumSet.allOf(Limit.class))
          .architectures(Set.of("amd64", "arm64"))
          .persistence(ExtensionDescriptor.Persistence.VOLUMES)
          .boxd(BoxdPlacement.INIT)
          .identity(IdentityMode.UNIQUE_NAME)
          .lateEffectWindow(LATE_EFFECTS)
          .nodeBound(true)
          .uidLease(true)
          .settings(Set.of(DockerConfig.HOST))
          .hostSettingsSchema(hostSettings())
          .build();

  @Override
  public ExtensionDescriptor descriptor() {
    return DESCRIPTOR;
  }

  @Override
  public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
      throws ExtensionException {
    return DockerExtension.create(DockerConfig.of(config, context), context);
  }

  private static String hostSettings() {
    try (InputStream in =
        Objects.requireNonNull(DockerProvider.class.getResourceAsStream("host.schema.json"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
