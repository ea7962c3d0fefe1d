package dev.sandboxer.tck.sample;

import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionDescriptor.Persistence;
import dev.sandboxer.spi.ExtensionDescriptorBuilder;
import java.util.concurrent.atomic.AtomicInteger;

/** Extensions that do not say what is so. */
public final class BrokenDescriptions {
  private BrokenDescriptions() {}

  /** What a builder does not change once it is started. */
  private static ExtensionDescriptorBuilder named(ExtensionDescriptor d, String version, int api) {
    return ExtensionDescriptor.builder(d.id(), version, api)
        .isolationLevels(d.isolationLevels())
        .networkModes(d.networkModes())
        .architectures(d.architectures())
        .boxd(d.boxd())
        .identity(d.identity())
        .lateEffectWindow(d.lateEffectWindow());
  }

  /** Was built for another API. */
  public static final class OtherApi extends Sound {
    @Override
    public ExtensionDescriptor descriptor() {
      return named(super.descriptor(), "1", 99).build();
    }
  }

  /** Says something else each time. */
  public static final class Unstable extends Sound {
    private final AtomicInteger calls = new AtomicInteger();

    @Override
    public ExtensionDescriptor descriptor() {
      ExtensionDescriptor d = super.descriptor();
      String version = Integer.toString(calls.incrementAndGet());
      return named(d, version, d.apiVersion()).build();
    }
  }

  /** Declares volumes and has none. */
  public static final class Boastful extends Sound {
    @Override
    public ExtensionDescriptor descriptor() {
      ExtensionDescriptor d = super.descriptor();
      return d.toBuilder().persistence(Persistence.VOLUMES).build();
    }
  }

  /** Hands out Unix sockets and says that any node can reach them. */
  public static final class Everywhere extends Sound {
    @Override
    public ExtensionDescriptor descriptor() {
      ExtensionDescriptor d = super.descriptor();
      return d.toBuilder().nodeBound(false).build();
    }
  }
}
