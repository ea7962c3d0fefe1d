package dev.sandboxer.ext.e2b.life;

import dev.sandboxer.ext.e2b.cloud.Access;
import dev.sandboxer.ext.e2b.cloud.Account;
import dev.sandboxer.ext.e2b.cloud.ControlPlane;
import dev.sandboxer.ext.e2b.cloud.Envd;
import dev.sandboxer.ext.e2b.cloud.Remote;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Reachability;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Waits until E2B's edge passes requests on to boxd. */
final class Readiness {

  /** Nothing but the head of the answer is looked at. */
  private static final String PATH = "/v1/health";

  /** Between two looks, longer each time: E2B does not report when boxd listens. */
  private static final Duration FIRST_PAUSE = Duration.ofMillis(15);

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);

  private final ControlPlane cloud;
  private final Envd envd;

  Readiness(ControlPlane cloud) {
    this.cloud = cloud;
    this.envd = cloud.envd();
  }

  Reachability await(Account account, E2bHandle handle, Call call) throws ExtensionException {
    Remote remote = cloud.get(account, handle.id(), call).orElseThrow(() -> gone(handle));
    Access access = access(account, handle, call);
    Duration pause = FIRST_PAUSE;
    while (envd.port(account, access, Placement.PORT, PATH, call) != Envd.Port.OPEN) {
      requireLife(account, handle, access, call);
      pause(handle, pause, call);
      pause = longer(pause);
    }
    return Reachability.at(Envd.address(account, access, Placement.PORT), handle.id())
        .withNotEnforced(notEnforced(remote));
  }

  /** Tokens of one that was found are given again. */
  private Access access(Account account, E2bHandle handle, Call call) throws ExtensionException {
    Optional<Access> known = handle.access();
    if (known.isPresent()) {
      return known.get();
    }
    return cloud
        .connect(account, handle.id(), Provisioning.SHORT_LIFE, call)
        .orElseThrow(() -> gone(handle));
  }

  private static Set<Limit> notEnforced(Remote remote) {
    Set<Limit> limits = EnumSet.noneOf(Limit.class);
    limits.addAll(Labels.bestEffort(remote));
    limits.remove(Limit.UID); // nobody else runs on its machine
    return limits;
  }

  private void requireLife(Account account, E2bHandle handle, Access access, Call call)
      throws ExtensionException {
    if (cloud.get(account, handle.id(), call).isEmpty()) {
      throw gone(handle);
    }
    boolean lives;
    try {
      lives = envd.lives(account, access, Placement.TAG, call);
    } catch (ExtensionException e) {
      if (e.code() == ErrorCode.TIMEOUT) {
        throw e;
      }
      throw created(handle, ErrorCode.CRASH, "neither boxd nor envd answers: " + e.getMessage());
    }
    if (!lives && envd.port(account, access, Placement.PORT, PATH, call) != Envd.Port.OPEN) {
      String log = envd.tail(account, access, Placement.LOG, call);
      throw created(handle, ErrorCode.CRASH, "boxd has ended" + (log.isEmpty() ? "" : ": " + log));
    }
  }

  private static void pause(E2bHandle handle, Duration pause, Call call) throws ExtensionException {
    try {
      if (!call.cancelled()) {
        Thread.sleep(pause);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (call.cancelled() || Thread.currentThread().isInterrupted()) {
      throw created(handle, ErrorCode.TIMEOUT, "boxd did not answer in time");
    }
  }

  private static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
  }

  private static ExtensionException gone(E2bHandle handle) {
    return new ExtensionException(
        ErrorCode.CRASH, "E2B has no sandbox %s any more".formatted(handle.id()));
  }

  private static ExtensionException created(E2bHandle handle, ErrorCode code, String message) {
    return new ExtensionException(code, new Outcome.Created(handle.toHandle()), message, null);
  }
}
