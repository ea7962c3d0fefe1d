package dev.sandboxer.testing.faulty;

import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
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

/**
 * The extension of the guide under another name, with faults. It declares more than it can, so that
 * it is a candidate for every profile.
 */
public final class FaultyProvider implements SandboxExtensionProvider {

  static final String NAME = "faulty.name";
  static final String WAY = "faulty.way";

  /** Longer than {@link FaultyExtension#LATE}. */
  static final Duration LATE_EFFECTS = Duration.ofSeconds(2);

  @Override
  public ExtensionDescriptor descriptor() {
    ExtensionDescriptor sound = sound().descriptor();
    return ExtensionDescriptor.builder("ext." + name(), sound.version(), sound.apiVersion())
        .isolationLevels(Set.of(IsolationLevel.PROCESS, IsolationLevel.CONTAINER))
        .networkModes(sound.networkModes())
        .limits(EnumSet.allOf(Limit.class))
        .persistence(ExtensionDescriptor.Persistence.VOLUMES)
        .architectures(sound.architectures())
        .boxd(sound.boxd())
        .identity(sound.identity())
        .lateEffectWindow(LATE_EFFECTS)
        .nodeBound(sound.nodeBound())
        .uidLease(sound.uidLease())
        .archiveOptions(Set.of("project"))
        .optionsSchema(
            """
            {"type": "object", "additionalProperties": false, "properties": {"project": {"type": "string"}}}
            """)
        .build();
  }

  @Override
  public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
      throws ExtensionException {
    SandboxExtension sound = sound().create(config, context);
    Way way = Way.valueOf(resource(WAY));
    return new FaultyExtension(
        way == Way.SOCKET ? sound : new AnotherWay(way, sound, context), context.stateFolder());
  }

  /** Compiled from the guide's page, so it is not known here. */
  private static SandboxExtensionProvider sound() {
    try {
      return Class.forName("demo.ProcessProvider", true, FaultyProvider.class.getClassLoader())
          .asSubclass(SandboxExtensionProvider.class)
          .getConstructor()
          .newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String name() {
    return resource(NAME);
  }

  private static String resource(String resource) {
    try (InputStream in = FaultyProvider.class.getClassLoader().getResourceAsStream(resource)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
