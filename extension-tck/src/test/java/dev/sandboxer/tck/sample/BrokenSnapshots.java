package dev.sandboxer.tck.sample;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import java.util.concurrent.atomic.AtomicInteger;

/** Extensions whose snapshots are not what they promise. */
public final class BrokenSnapshots {
  private BrokenSnapshots() {}

  /** Starts from a new state where the snapshot is gone. */
  public static final class Fresh extends Keeping {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Kept(super.create(config, context)) {
        @Override
        public SandboxHandle provision(ProvisionRequest request, Call call)
            throws ExtensionException {
          return super.provision(withoutSnapshot(request), call);
        }
      };
    }
  }

  /** Takes another snapshot under a name that is in use. */
  public static final class Doubled extends Keeping {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      AtomicInteger taken = new AtomicInteger();
      return new Kept(super.create(config, context)) {
        @Override
        public Snapshot snapshot(SandboxHandle handle, String name, Call call) {
          return new Snapshot(name, "uid-" + taken.incrementAndGet(), 0);
        }
      };
    }
  }
}
