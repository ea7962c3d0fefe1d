package dev.sandboxer.tck.sample;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.Suspendable;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Notes which sandboxes are suspended, without stopping them. */
public class Sleeping extends Sound {
  @Override
  public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
      throws ExtensionException {
    return new Suspending(super.create(config, context));
  }

  /** The extension that suspends. */
  static class Suspending extends Wrapped implements Suspendable {
    private final Set<SandboxHandle> suspended = ConcurrentHashMap.newKeySet();

    Suspending(SandboxExtension inner) {
      super(inner);
    }

    @Override
    public SandboxHandle suspend(SandboxHandle handle, Call call) throws ExtensionException {
      suspended.add(handle);
      return handle;
    }

    @Override
    public Resumed resume(SandboxHandle handle, Call call) throws ExtensionException {
      suspended.remove(handle);
      return new Resumed(handle, waitReady(handle, call));
    }

    @Override
    public Inspection inspect(SandboxHandle handle, Call call) throws ExtensionException {
      Inspection seen = super.inspect(handle, call);
      boolean sleeps = seen instanceof Inspection.Running && suspended.contains(handle);
      return sleeps ? new Inspection.Suspended() : seen;
    }
  }

  /** Its inspections do not know of it. */
  public static final class Unaware extends Sleeping {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Suspending(super.create(config, context)) {
        @Override
        public SandboxHandle suspend(SandboxHandle handle, Call call) {
          return handle;
        }
      };
    }
  }

  /** Answers that it has resumed what still sleeps. */
  public static final class Drowsy extends Sleeping {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Suspending(super.create(config, context)) {
        @Override
        public Resumed resume(SandboxHandle handle, Call call) throws ExtensionException {
          return new Resumed(handle, waitReady(handle, call));
        }
      };
    }
  }

  /** Refuses to suspend what is suspended. */
  public static final class Strict extends Sleeping {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Suspending(super.create(config, context)) {
        @Override
        public SandboxHandle suspend(SandboxHandle handle, Call call) throws ExtensionException {
          if (inspect(handle, call) instanceof Inspection.Suspended) {
            throw new ExtensionException(ErrorCode.VALIDATION, "it is suspended already");
          }
          return super.suspend(handle, call);
        }
      };
    }
  }
}
