package dev.sandboxer.ext.e2b.life;

import dev.sandboxer.ext.e2b.cloud.Account;
import dev.sandboxer.ext.e2b.cloud.ControlPlane;
import dev.sandboxer.ext.e2b.cloud.Remote;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.CleanupReport.Leftover;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Ends every sandbox of an identity, and looks again. */
final class Teardown {

  private final ControlPlane cloud;
  private final Labels labels;

  Teardown(ControlPlane cloud, Labels labels) {
    this.cloud = cloud;
    this.labels = labels;
  }

  CleanupReport of(Account account, TeardownTarget target, Call call) throws ExtensionException {
    SandboxIdentity identity = target.identity();
    Map<String, Remote> found = look(account, target, call);
    List<String> removed = new ArrayList<>();
    for (Remote remote : found.values()) {
      if (ours(remote, identity) && cloud.kill(account, remote.id(), call)) {
        removed.add(remote.id());
      }
    }
    List<Leftover> left = new ArrayList<>();
    List<Leftover> foreign = new ArrayList<>();
    Map<String, Remote> seen = removed.isEmpty() ? found : look(account, target, call);
    for (Remote remote : seen.values()) {
      if (ours(remote, identity)) {
        if (cloud.get(account, remote.id(), call).isPresent()) {
          left.add(new Leftover(remote.id(), "E2B still shows it"));
        }
      } else {
        foreign.add(new Leftover(remote.id(), "it is not signed by this installation"));
      }
    }
    return new CleanupReport(removed, left, foreign);
  }

  private boolean ours(Remote remote, SandboxIdentity identity) {
    return labels.owner(remote).filter(identity::equals).isPresent();
  }

  /** By the list, which may lag, and by the handle, which does not. */
  private Map<String, Remote> look(Account account, TeardownTarget target, Call call)
      throws ExtensionException {
    Map<String, Remote> found = new TreeMap<>();
    if (target instanceof TeardownTarget.ByHandle(_, var handle)) {
      Optional<Remote> named = cloud.get(account, E2bHandle.of(handle).id(), call);
      named.ifPresent(remote -> found.put(remote.id(), remote));
    }
    for (Remote remote : cloud.all(account, labels.searched(target.identity()), call)) {
      found.put(remote.id(), remote);
    }
    return found;
  }
}
