package dev.sandboxer.tck.sample;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionDescriptor.Persistence;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.Snapshotting;
import dev.sandboxer.spi.Volumes;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps states by their names, without any content, and starts from them. */
public class Keeping extends Sound {
  @Override
  public ExtensionDescriptor descriptor() {
    return super.descriptor().toBuilder().persistence(Persistence.SNAPSHOTS).build();
  }

  @Override
  public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
      throws ExtensionException {
    return new Kept(super.create(config, context));
  }

  /** The extension with snapshots. */
  static class Kept extends Wrapped implements Snapshotting, Volumes {
    private final Map<String, Snapshot> kept = new ConcurrentHashMap<>();

    Kept(SandboxExtension inner) {
      super(inner);
    }

    @Override
    public SandboxHandle provision(ProvisionRequest request, Call call) throws ExtensionException {
      Snapshot from = request.snapshot().orElse(null);
      if (from != null && !from.equals(kept.get(from.name()))) {
        throw new ExtensionException(ErrorCode.VALIDATION, "there is no snapshot " + from.name());
      }
      return super.provision(withoutSnapshot(request), call);
    }

    ProvisionRequest withoutSnapshot(ProvisionRequest request) {
      return ProvisionRequest.of(
          request.identity(), request.spec(), request.host(), request.daemon());
    }

    @Override
    public Snapshot snapshot(SandboxHandle handle, String name, Call call) {
      return kept.computeIfAbsent(name, made -> new Snapshot(made, "uid-" + made, 0));
    }

    @Override
    public void removeSnapshot(Snapshot snapshot, Call call) {
      kept.remove(snapshot.name());
    }

    @Override
    public void ensureVolume(HostRef host, String name, long sizeBytes, Call call) {}

    @Override
    public void removeVolume(HostRef host, String name, Call call) {}
  }
}
