package dev.sandboxer.tck.sample;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Extensions that make too much, remove too little or too much, or lose sight of something. */
public final class BrokenObjects {
  private BrokenObjects() {}

  /** Says that it has removed what it leaves. */
  public static final class Leaky extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Wrapped(super.create(config, context)) {
        @Override
        public CleanupReport teardown(TeardownTarget target, Call call) {
          return new CleanupReport(List.of(target.identity().name()), List.of());
        }
      };
    }
  }

  /** Keeps what it fetched an image with. */
  public static final class Indiscreet extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Wrapped(super.create(config, context)) {
        @Override
        public SandboxHandle provision(ProvisionRequest request, Call call)
            throws ExtensionException {
          SandboxHandle handle = super.provision(request, call);
          return SandboxHandle.of(
              1, handle.data() + request.registryLogins().getFirst().password());
        }
      };
    }
  }

  /** Cannot say that nothing was there. */
  public static final class Once extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Wrapped(super.create(config, context)) {
        @Override
        public CleanupReport teardown(TeardownTarget target, Call call) throws ExtensionException {
          CleanupReport report = super.teardown(target, call);
          if (report.removed().isEmpty()) {
            throw new ExtensionException(ErrorCode.VALIDATION, "there is nothing to tear down");
          }
          return report;
        }
      };
    }
  }

  /** Takes any label for its own. */
  public static final class Trusting extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return super.create(
          config,
          new OtherContext(context) {
            @Override
            public boolean verify(SandboxIdentity identity, String signature) {
              return true;
            }
          });
    }
  }

  /** Signs with a word of its own. */
  public static final class Unsigned extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return super.create(
          config,
          new OtherContext(context) {
            @Override
            public String sign(SandboxIdentity identity) {
              return "mine";
            }

            @Override
            public boolean verify(SandboxIdentity identity, String signature) {
              return signature.equals("mine");
            }
          });
    }
  }

  /** Makes a second sandbox where it is asked again. */
  public static final class Doubling extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      SandboxExtension other = super.create(config, elsewhere(context));
      return new Wrapped(super.create(config, context)) {
        @Override
        public SandboxHandle provision(ProvisionRequest request, Call call)
            throws ExtensionException {
          if (find(request.identity(), call).isEmpty()) {
            return super.provision(request, call);
          }
          SandboxHandle second = other.provision(request, call);
          return SandboxHandle.of(2, second.data());
        }

        @Override
        public Reachability waitReady(SandboxHandle handle, Call call) throws ExtensionException {
          if (handle.version() == 1) {
            return super.waitReady(handle, call);
          }
          Reachability second = other.waitReady(handle, call);
          return new Reachability(
              second.dataplane(),
              second.providerUid() + "-second",
              second.descriptors(),
              second.notEnforced());
        }

        @Override
        public CleanupReport teardown(TeardownTarget target, Call call) throws ExtensionException {
          other.teardown(target, call);
          return super.teardown(target, call);
        }
      };
    }

    private static ExtensionContext elsewhere(ExtensionContext context) {
      return new OtherContext(context) {
        @Override
        public Path runFolder() {
          try {
            return Files.createDirectories(stateFolder().resolve("x"));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };
    }
  }

  /** Knows only what it made since it was started. */
  public static final class Forgetful extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      Map<SandboxIdentity, SandboxHandle> made = new ConcurrentHashMap<>();
      return new Wrapped(super.create(config, context)) {
        @Override
        public SandboxHandle provision(ProvisionRequest request, Call call)
            throws ExtensionException {
          SandboxHandle handle = super.provision(request, call);
          made.put(request.identity(), handle);
          return handle;
        }

        @Override
        public List<SandboxHandle> find(SandboxIdentity identity, Call call) {
          SandboxHandle known = made.get(identity);
          return known == null ? List.of() : List.of(known);
        }
      };
    }
  }

  /** Leaves one out and says that this is all. */
  public static final class ShortSighted extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Wrapped(super.create(config, context)) {
        @Override
        public InventoryPage inventory(InventoryQuery query, Call call) throws ExtensionException {
          InventoryPage page = super.inventory(query, call);
          List<InventoryPage.InventoryObject> most = new ArrayList<>(page.objects());
          if (!most.isEmpty()) {
            most.removeLast();
          }
          return new InventoryPage(page.scope(), true, most, null);
        }
      };
    }
  }

  /** Ends all sandboxes with the platform. */
  public static final class Clingy extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      Map<SandboxIdentity, Call> made = new ConcurrentHashMap<>();
      return new Wrapped(super.create(config, context)) {
        @Override
        public SandboxHandle provision(ProvisionRequest request, Call call)
            throws ExtensionException {
          made.put(request.identity(), call);
          return super.provision(request, call);
        }

        @Override
        public void close() {
          made.forEach(
              (identity, call) -> {
                try {
                  teardown(new TeardownTarget.ByIdentity(identity), call);
                } catch (ExtensionException e) {
                  throw new IllegalStateException(e);
                }
              });
        }
      };
    }
  }

  /** Believes that what it started still runs. */
  public static final class Hopeful extends Sound {
    @Override
    public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
        throws ExtensionException {
      return new Wrapped(super.create(config, context)) {
        @Override
        public Inspection inspect(SandboxHandle handle, Call call) throws ExtensionException {
          Inspection seen = super.inspect(handle, call);
          return seen instanceof Inspection.Ended ? new Inspection.Gone() : seen;
        }
      };
    }
  }
}
