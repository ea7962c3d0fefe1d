package dev.sandboxer.tck.sample;

import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionDescriptor.Persistence;
import java.util.concurrent.atomic.AtomicInteger;

/** Extensions that do not say what is so. */
public final class BrokenDescriptions {
  private BrokenDescriptions() {}

  private static ExtensionDescriptor changed(
      ExtensionDescriptor d, String version, int api, Persistence persistence, boolean nodeBound) {
    return new ExtensionDescriptor(
        d.id(),
        version,
        api,
        d.hosting(),
        d.isolationLevels(),
        d.networkModes(),
        d.limits(),
        persistence,
        d.regions(),
        d.architectures(),
        d.pricing(),
        d.boxd(),
        d.identity(),
        d.lateEffectWindow(),
        nodeBound);
  }

  /** Was built for another API. */
  public static final class OtherApi extends Sound {
    @Override
    public ExtensionDescriptor descriptor() {
      return changed(super.descriptor(), "1", 99, Persistence.NONE, true);
    }
  }

  /** Says something else each time. */
  public static final class Unstable extends Sound {
    private final AtomicInteger calls = new AtomicInteger();

    @Override
    public ExtensionDescriptor descriptor() {
      ExtensionDescriptor d = super.descriptor();
      String version = Integer.toString(calls.incrementAndGet());
      return changed(d, version, d.apiVersion(), d.persistence(), d.nodeBound());
    }
  }

  /** Declares volumes and has none. */
  public static final class Boastful extends Sound {
    @Override
    public ExtensionDescriptor descriptor() {
      ExtensionDescriptor d = super.descriptor();
      return changed(d, d.version(), d.apiVersion(), Persistence.VOLUMES, d.nodeBound());
    }
  }

  /** Hands out Unix sockets and says that any node can reach them. */
  public static final class Everywhere extends Sound {
    @Override
    public ExtensionDescriptor descriptor() {
      ExtensionDescriptor d = super.descriptor();
      return changed(d, d.version(), d.apiVersion(), d.persistence(), false);
    }
  }
}
