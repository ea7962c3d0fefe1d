package dev.sandboxer.tck.sample;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.MountDelivery;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxSpec;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Extensions that answer wrongly, too early, too much, or not at all. */
public final class BrokenAnswers {
  private BrokenAnswers() {}

  /** Says that a failed start left nothing, and leaves it. */
  public static final class Lying extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Wrapped(super.create(config, context)) {
        @Override
        public SandboxHandle provision(ProvisionRequest request, Call call)
            throws ExtensionException {
          SandboxHandle handle = super.provision(request, call);
          try {
            waitReady(handle, call);
          } catch (ExtensionException e) {
            throw new ExtensionException(e.code(), String.valueOf(e.getMessage()));
          }
          return handle;
        }
      };
    }
  }

  /** Waits for what never comes, whatever it is told. */
  public static final class Stubborn extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Wrapped(super.create(config, context)) {
        @Override
        public Reachability waitReady(SandboxHandle handle, Call call) throws ExtensionException {
          try {
            return super.waitReady(handle, call);
          } catch (ExtensionException e) {
            new Semaphore(0).acquireUninterruptibly();
            throw e;
          }
        }
      };
    }
  }

  /** Fails in a way that says nothing. */
  public static final class Untyped extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Wrapped(super.create(config, context)) {
        @Override
        public SandboxHandle provision(ProvisionRequest request, Call call) {
          try {
            return super.provision(request, call);
          } catch (ExtensionException e) {
            throw new IllegalStateException(e.getMessage(), e);
          }
        }
      };
    }
  }

  /** Drops what it cannot do without a word. */
  public static class Careless extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Wrapped(super.create(config, context)) {
        @Override
        public SandboxHandle provision(ProvisionRequest request, Call call)
            throws ExtensionException {
          return super.provision(
              ProvisionRequest.of(
                  request.identity(), simplified(request.spec()), request.host(), request.daemon()),
              call);
        }
      };
    }

    private static SandboxSpec simplified(SandboxSpec spec) {
      return spec.toBuilder()
          .isolation(IsolationLevel.PROCESS)
          .network(Network.NONE)
          .mounts(List.of())
          .bestEffort(EnumSet.allOf(Limit.class))
          .options(Map.of())
          .build();
    }
  }

  /** Declares mounts by copy, and accepts a folder of the host without copying it. */
  public static final class Binding extends Careless {
    @Override
    public ExtensionDescriptor descriptor() {
      return super.descriptor().toBuilder().mountDelivery(MountDelivery.COPY).build();
    }
  }

  /** Refuses with the wrong code. */
  public static final class Vague extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Wrapped(super.create(config, context)) {
        @Override
        public SandboxHandle provision(ProvisionRequest request, Call call)
            throws ExtensionException {
          try {
            return super.provision(request, call);
          } catch (ExtensionException e) {
            throw new ExtensionException(
                ErrorCode.INTERNAL, Outcome.NOTHING_CREATED, "it did not work", e);
          }
        }
      };
    }
  }

  /** Does not say what it does not enforce. */
  public static final class Silent extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Wrapped(super.create(config, context)) {
        @Override
        public Reachability waitReady(SandboxHandle handle, Call call) throws ExtensionException {
          Reachability r = super.waitReady(handle, call);
          return r.withNotEnforced(Set.of());
        }
      };
    }
  }

  /** Gives an address at which nobody listens yet. */
  public static final class Hasty extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      Path nowhere = context.runFolder().resolve(".nowhere");
      return new Wrapped(super.create(config, context)) {
        @Override
        public Reachability waitReady(SandboxHandle handle, Call call) throws ExtensionException {
          Reachability r = super.waitReady(handle, call);
          return Reachability.at(new DataplaneAddress.UnixSocket(nowhere), r.providerUid())
              .withDescriptors(r.descriptors())
              .withNotEnforced(r.notEnforced());
        }
      };
    }
  }

  /** Gives everybody the first one's address. */
  public static final class Mixing extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      AtomicReference<@Nullable Reachability> first = new AtomicReference<>();
      return new Wrapped(super.create(config, context)) {
        @Override
        public Reachability waitReady(SandboxHandle handle, Call call) throws ExtensionException {
          Reachability r = super.waitReady(handle, call);
          first.compareAndSet(null, r);
          return new Reachability(
              Objects.requireNonNull(first.get()).dataplane(),
              r.providerUid(),
              r.descriptors(),
              r.notEnforced());
        }
      };
    }
  }
}
