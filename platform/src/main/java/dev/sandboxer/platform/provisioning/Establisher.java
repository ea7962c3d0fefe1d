package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.dataplane.BoxdClient;
import dev.sandboxer.platform.dataplane.PrivateFile;
import dev.sandboxer.platform.egress.EgressProxy.EgressException;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.profile.Setup;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.trace.Span;
import dev.sandboxer.platform.trace.Tracing;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.secret.SecretException;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Brings one attempt up: provision, wait, check and configure boxd. No transaction is open here.
 */
@ApplicationScoped
class Establisher {

  private static final Logger LOG = Logger.getLogger(Establisher.class);
  private static final Duration BOXD_LIMIT = Duration.ofSeconds(10);

  private final Jdbi jdbi;
  private final Attempts attempts;
  private final Backends backends;
  private final BoxdClient boxd;
  private final Environments environments;
  private final ProfileStore profiles;
  private final SandboxSecrets secrets;
  private final DaemonConfigs configs;
  private final MountedFolders folders;
  private final CopiedFolders copies;
  private final WaysOut ways;
  private final FreedVolumes volumes;
  private final Failpoints failpoints;
  private final Tracing tracing;

  Establisher(
      Jdbi jdbi,
      Attempts attempts,
      Backends backends,
      BoxdClient boxd,
      Environments environments,
      ProfileStore profiles,
      SandboxSecrets secrets,
      DaemonConfigs configs,
      MountedFolders folders,
      CopiedFolders copies,
      WaysOut ways,
      FreedVolumes volumes,
      Failpoints failpoints,
      Tracing tracing) {
    this.jdbi = jdbi;
    this.attempts = attempts;
    this.backends = backends;
    this.boxd = boxd;
    this.environments = environments;
    this.profiles = profiles;
    this.secrets = secrets;
    this.configs = configs;
    this.folders = folders;
    this.copies = copies;
    this.ways = ways;
    this.volumes = volumes;
    this.failpoints = failpoints;
    this.tracing = tracing;
  }

  /**
   * Establishes, or continues where a crash cut it off.
   *
   * @throws ClaimLostException if another worker has taken over; nothing more may be done
   */
  Reachability establish(Sandbox sandbox, Attempt attempt, Cancellation running)
      throws ExtensionException, ClaimLostException {
    long start = System.nanoTime();
    MountedFolders.Checked checked = folders.check(sandbox, attempt);
    failpoints.reach("create.mounts_checked");
    SandboxHandle known = attempt.handle();
    if (known != null) {
      return open(sandbox, attempt, known, checked, running);
    }
    if (attempt.claimToken() != sandbox.claimToken()) {
      abandoned(attempt);
    }
    if (!attempt.makesLayer()) {
      volumes.await(sandbox, attempt, running);
    }
    SandboxHandle handle;
    try (Span _ = tracing.step("sandbox.provision")) {
      handle = provision(sandbox, attempt, running);
    }
    failpoints.reach("create.provisioned");
    LOG.infof(
        "sandbox provisioned sandbox=%s attempt=%s provision_ms=%s",
        sandbox.publicId(), attempt.id(), millis(start));
    try (HandleStoring storing = store(sandbox, attempt, handle)) {
      Reachability reachability = open(sandbox, attempt, handle, checked, running);
      storing.await();
      failpoints.reach("create.handle_stored");
      return reachability;
    }
  }

  /**
   * A backend that went away in the middle is asked once more: one identity has at most one
   * sandbox, however often it is provisioned.
   */
  private SandboxHandle provision(Sandbox sandbox, Attempt attempt, Cancellation running)
      throws ExtensionException {
    try {
      return backends.provision(sandbox, attempt, running);
    } catch (ExtensionException e) {
      boolean interrupted =
          e.code() == ErrorCode.UNAVAILABLE && e.outcome() instanceof Outcome.Unknown;
      if (!interrupted || !wanted(sandbox)) {
        throw e;
      }
      LOG.warnf(
          "provision is tried again sandbox=%s attempt=%s message=%s",
          sandbox.publicId(), attempt.id(), e.getMessage());
      abandoned(attempt);
      return provisionAgain(sandbox, attempt, running, e);
    }
  }

  /** The call that failed, or that of the worker before this one, may still take effect. */
  private void abandoned(Attempt attempt) {
    Duration window = backends.lateEffectWindow(attempt.extension());
    jdbi.useHandle(open -> attempts.abandonedCall(open, attempt.id(), window));
  }

  /** Whether it is still to be made, and by this worker. */
  private boolean wanted(Sandbox sandbox) {
    return jdbi.withHandle(
        open ->
            open.createQuery(
                    """
                    select exists (select 1 from sandbox
                      where id = :id and claim_token = :token and desired = 'running')
                    """)
                .bind("id", sandbox.id())
                .bind("token", sandbox.claimToken())
                .mapTo(Boolean.class)
                .one());
  }

  /** That nothing was created now says nothing about what the first call left. */
  private SandboxHandle provisionAgain(
      Sandbox sandbox, Attempt attempt, Cancellation running, ExtensionException first)
      throws ExtensionException {
    try {
      return backends.provision(sandbox, attempt, running);
    } catch (ExtensionException second) {
      if (second.outcome() instanceof Outcome.Created) {
        throw second;
      }
      first.addSuppressed(second);
      throw first;
    }
  }

  /** While the sandbox is opened: its disk is busy with what was just made. */
  private HandleStoring store(Sandbox sandbox, Attempt attempt, SandboxHandle handle) {
    return new HandleStoring(
        sandbox,
        () ->
            jdbi.withHandle(
                open -> attempts.storeHandle(open, attempt, handle, sandbox.claimToken())));
  }

  private Reachability open(
      Sandbox sandbox,
      Attempt attempt,
      SandboxHandle handle,
      MountedFolders.Checked checked,
      Cancellation running)
      throws ExtensionException {
    long start = System.nanoTime();
    Reachability reachability;
    try (Span _ = tracing.step("sandbox.wait_ready")) {
      reachability = waitReady(sandbox, attempt, handle, running);
    }
    failpoints.reach("create.reachable");
    String waited = millis(start);
    long reachable = System.nanoTime();
    try (Span _ = tracing.step("sandbox.configure")) {
      configure(sandbox, attempt, reachability.dataplane(), handle, checked, running);
    }
    failpoints.reach("create.configured");
    LOG.infof(
        "sandbox established sandbox=%s attempt=%s wait_ready_ms=%s configure_ms=%s",
        sandbox.publicId(), attempt.id(), waited, millis(reachable));
    return reachability;
  }

  private static String millis(long from) {
    return "%.1f".formatted((System.nanoTime() - from) / 1e6);
  }

  private Reachability waitReady(
      Sandbox sandbox, Attempt attempt, SandboxHandle handle, Cancellation running)
      throws ExtensionException {
    try {
      return backends.waitReady(sandbox, attempt, handle, running);
    } catch (ExtensionException e) {
      throw created(e.code(), e.getMessage(), handle, e);
    }
  }

  private void configure(
      Sandbox sandbox,
      Attempt attempt,
      @Nullable DataplaneAddress address,
      SandboxHandle handle,
      MountedFolders.Checked checked,
      Cancellation running)
      throws ExtensionException {
    if (address == null) {
      if (!checked.none()) {
        throw created(
            ErrorCode.UNSUPPORTED,
            "mounts: without boxd nobody can see whether the right folders are mounted",
            handle,
            null);
      }
      return;
    }
    try {
      if (!checked.mounted().isEmpty()) {
        boxd.awaitHealth(sandbox.id(), sandbox.generation(), address, BOXD_LIMIT);
        folders.compare(sandbox, address, handle, checked.mounted());
      }
      for (PrivateFile file : files(sandbox, attempt)) {
        boxd.write(sandbox.id(), sandbox.generation(), address, file, BOXD_LIMIT);
      }
      Map<String, String> environment =
          secrets.environment(
              sandbox, attempt, ways.environment(sandbox, attempt, own(sandbox, attempt)));
      boxd.configure(
          sandbox.id(),
          sandbox.generation(),
          address,
          environment,
          configs.deadlineSeconds(sandbox),
          BOXD_LIMIT);
      ways.open(sandbox, attempt, address);
    } catch (BoxdClient.BoxdException | EgressException e) {
      throw created(ErrorCode.CRASH, e.getMessage(), handle, e);
    } catch (SecretException e) {
      ErrorCode code = e.isAway() ? ErrorCode.UNAVAILABLE : ErrorCode.VALIDATION;
      throw created(code, e.getMessage(), handle, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw created(ErrorCode.UNAVAILABLE, "interrupted", handle, e);
    }
    copies.fill(sandbox, attempt, address, handle, checked.copied(), running);
  }

  private List<PrivateFile> files(Sandbox sandbox, Attempt attempt) throws SecretException {
    List<PrivateFile> files = new ArrayList<>(secrets.files(sandbox, attempt));
    ways.trusted(sandbox, attempt).ifPresent(files::add);
    return files;
  }

  private Map<String, String> own(Sandbox sandbox, Attempt attempt) {
    Map<String, String> own =
        attempt.makesLayer()
            ? environments.ofSetup(sandbox, profiles.setup(sandbox.profile()).orElse(Setup.NONE))
            : environments.unseal(sandbox);
    return SetupSteps.environment(attempt, own);
  }

  static ExtensionException created(
      ErrorCode code, @Nullable String message, SandboxHandle handle, @Nullable Exception cause) {
    return new ExtensionException(
        code, new Outcome.Created(handle), String.valueOf(message), cause);
  }
}
