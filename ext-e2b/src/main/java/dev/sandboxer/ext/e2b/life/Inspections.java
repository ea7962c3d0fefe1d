package dev.sandboxer.ext.e2b.life;

import dev.sandboxer.ext.e2b.cloud.Access;
import dev.sandboxer.ext.e2b.cloud.Account;
import dev.sandboxer.ext.e2b.cloud.ControlPlane;
import dev.sandboxer.ext.e2b.cloud.Envd;
import dev.sandboxer.ext.e2b.cloud.Remote;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import java.util.Optional;

/**
 * Says what became of a sandbox. The edge answers the same for one that is paused, dead or never
 * was, so the control plane is asked first; of boxd's process envd knows.
 */
final class Inspections {

  private final ControlPlane cloud;
  private final Envd envd;

  Inspections(ControlPlane cloud) {
    this.cloud = cloud;
    this.envd = cloud.envd();
  }

  Inspection of(Account account, E2bHandle handle, Call call) throws ExtensionException {
    Optional<Remote> remote = cloud.get(account, handle.id(), call);
    if (remote.isEmpty()) {
      return new Inspection.Gone();
    }
    if (remote.get().paused()) {
      return new Inspection.Suspended();
    }
    Optional<Access> access = handle.access();
    if (access.isEmpty()) {
      access = cloud.connect(account, handle.id(), java.time.Duration.ofSeconds(1), call);
    }
    return access.isEmpty() ? new Inspection.Gone() : inside(account, access.get(), call);
  }

  private Inspection inside(Account account, Access access, Call call) throws ExtensionException {
    try {
      if (envd.lives(account, access, Placement.TAG, call)) {
        return new Inspection.Running();
      }
    } catch (ExtensionException e) {
      if (e.code() == ErrorCode.TIMEOUT) {
        throw e;
      }
      return withoutEnvd(account, access, call);
    }
    return new Inspection.Ended(ErrorCode.CRASH, "boxd has ended");
  }

  private Inspection withoutEnvd(Account account, Access access, Call call)
      throws ExtensionException {
    if (envd.port(account, access, Placement.PORT, "/v1/health", call) == Envd.Port.OPEN) {
      return new Inspection.Running();
    }
    return cloud.get(account, access.id(), call).isEmpty()
        ? new Inspection.Gone()
        : new Inspection.Ended(ErrorCode.CRASH, "neither envd nor boxd answers");
  }
}
