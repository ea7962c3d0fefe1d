package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.archive.ArchiveHolds;
import dev.sandboxer.platform.extension.BoxdBinaries;
import dev.sandboxer.platform.extension.CallLimits;
import dev.sandboxer.platform.extension.ExtensionCalls;
import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.extension.RunningCall;
import dev.sandboxer.platform.image.AllowedImages;
import dev.sandboxer.platform.installation.Installation;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.volume.VolumeHolds;
import dev.sandboxer.spi.Archive;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.Lifetime;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.RootFileSystems;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.spi.Suspendable;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.spi.secret.SecretException;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** The SPI's calls, in terms of sandboxes and attempts. */
@ApplicationScoped
class Backends {

  private static final CallLimits SLOW =
      new CallLimits(Duration.ofMinutes(2), Duration.ofMinutes(30));
  static final CallLimits TEARDOWN = CallLimits.of(Duration.ofSeconds(45));
  private static final CallLimits REACH = CallLimits.of(Duration.ofSeconds(30));
  private static final CallLimits EXTEND = CallLimits.of(Duration.ofSeconds(20));
  private static final CallLimits QUICK = CallLimits.of(Duration.ofSeconds(10));

  private final ExtensionCalls calls;
  private final ExtensionRegistry registry;
  private final Installation installation;
  private final BoxdBinaries binaries;
  private final DaemonConfigs configs;
  private final ProgressEvents progress;
  private final VolumeHolds volumes;
  private final MountedFolders folders;
  private final WaysOut ways;
  private final SandboxSecrets secrets;
  private final ExtensionFigures figures;
  private final AllowedImages images;
  private final ArchiveHolds archives;

  Backends(
      ExtensionCalls calls,
      ExtensionRegistry registry,
      Installation installation,
      BoxdBinaries binaries,
      DaemonConfigs configs,
      ProgressEvents progress,
      VolumeHolds volumes,
      MountedFolders folders,
      WaysOut ways,
      SandboxSecrets secrets,
      ExtensionFigures figures,
      AllowedImages images,
      ArchiveHolds archives) {
    this.images = images;
    this.archives = archives;
    this.ways = ways;
    this.secrets = secrets;
    this.calls = calls;
    this.registry = registry;
    this.installation = installation;
    this.binaries = binaries;
    this.configs = configs;
    this.progress = progress;
    this.volumes = volumes;
    this.folders = folders;
    this.figures = figures;
  }

  SandboxHandle provision(Sandbox sandbox, Attempt attempt, Cancellation cancellation)
      throws ExtensionException {
    ProvisionRequest request = request(sandbox, attempt);
    return figures.of(
        "provision",
        attempt,
        () ->
            await(
                calls.provision(
                    attempt.extension().text(),
                    request,
                    SLOW,
                    step -> progress.progressed(sandbox, attempt, step)),
                cancellation));
  }

  private ProvisionRequest request(Sandbox sandbox, Attempt attempt) throws ExtensionException {
    SandboxSpec spec = spec(sandbox, attempt);
    boolean files =
        registry
            .descriptor(attempt.extension().text())
            .map(ExtensionDescriptor::secretFiles)
            .orElse(false);
    return new ProvisionRequest(
        identity(attempt),
        spec,
        attempt.host(),
        new Daemon(
            binaries,
            List.of("serve"),
            configs.of(sandbox, spec),
            () -> configs.withTls(sandbox, spec)),
        attempt.uid(),
        Optional.empty(),
        read(() -> secrets.logins(sandbox)),
        images.of(sandbox.tenantId()),
        files ? read(() -> secrets.forBackend(sandbox, attempt)) : List.of(),
        archives(sandbox, attempt));
  }

  /** Only those that the backend has declared. */
  private Map<String, Archive> archives(Sandbox sandbox, Attempt attempt) {
    Set<String> declared =
        registry
            .descriptor(attempt.extension().text())
            .map(ExtensionDescriptor::archiveOptions)
            .orElse(Set.of());
    if (declared.isEmpty()) {
      return Map.of();
    }
    Map<String, Archive> archives = new HashMap<>(this.archives.of(sandbox.id()));
    archives.keySet().retainAll(declared);
    return archives;
  }

  /** Which root file system the attempt would get; the image's name where a backend cannot say. */
  String rootDigest(Sandbox sandbox, Attempt attempt, Cancellation cancellation)
      throws ExtensionException {
    ProvisionRequest request = request(sandbox, attempt);
    return slow(
        "rootDigest",
        sandbox,
        attempt,
        cancellation,
        (extension, call) ->
            extension instanceof RootFileSystems roots
                ? Objects.requireNonNull(roots.rootDigest(request, call))
                : String.valueOf(request.spec().image()));
  }

  /** A call that may take its time and reports progress. */
  private <T> T slow(
      String name,
      Sandbox sandbox,
      Attempt attempt,
      Cancellation cancellation,
      ExtensionCalls.Method<T> method)
      throws ExtensionException {
    return figures.of(
        name,
        attempt,
        () ->
            await(
                calls.start(
                    attempt.extension().text(),
                    attempt.host(),
                    name,
                    SLOW,
                    step -> progress.progressed(sandbox, attempt, step),
                    method),
                cancellation));
  }

  /** Secrets, of which one may be missing or away. */
  private interface Reading<T> {
    List<T> read() throws SecretException;
  }

  private static <T> List<T> read(Reading<T> reading) throws ExtensionException {
    try {
      return reading.read();
    } catch (SecretException e) {
      throw new ExtensionException(
          e.isAway() ? ErrorCode.UNAVAILABLE : ErrorCode.VALIDATION,
          Outcome.NOTHING_CREATED,
          String.valueOf(e.getMessage()),
          e);
    }
  }

  private SandboxSpec spec(Sandbox sandbox, Attempt attempt) {
    SandboxSpec spec = sandbox.spec();
    List<Mount> mounts = volumes.forBackend(sandbox.id(), folders.forBackend(sandbox, attempt));
    Network network = ways.forBackend(attempt.extension(), spec.network());
    return mounts.equals(spec.mounts()) && network.equals(spec.network())
        ? spec
        : spec.toBuilder().mounts(mounts).network(network).build();
  }

  Reachability waitReady(
      Sandbox sandbox, Attempt attempt, SandboxHandle handle, Cancellation cancellation)
      throws ExtensionException {
    return slow(
        "waitReady",
        sandbox,
        attempt,
        cancellation,
        (extension, call) -> extension.waitReady(handle, call));
  }

  /** Where a live sandbox is now; asks for what has not outlived a restart. */
  Reachability reach(Attempt attempt, SandboxHandle handle) throws ExtensionException {
    return figures.of(
        "waitReady",
        attempt,
        () ->
            calls.call(
                attempt.extension().text(),
                attempt.host(),
                "waitReady",
                REACH,
                (extension, call) -> extension.waitReady(handle, call)));
  }

  Inspection inspect(Attempt attempt) throws ExtensionException {
    SandboxHandle handle = Objects.requireNonNull(attempt.handle());
    return figures.of(
        "inspect",
        attempt,
        () ->
            calls.call(
                attempt.extension().text(),
                attempt.host(),
                "inspect",
                QUICK,
                (extension, call) -> extension.inspect(handle, call)));
  }

  /** What the calls of an attempt have made. */
  List<SandboxHandle> find(Attempt attempt) throws ExtensionException {
    return figures.of(
        "find",
        attempt,
        () ->
            calls.call(
                attempt.extension().text(),
                attempt.host(),
                "find",
                QUICK,
                (extension, call) -> extension.find(identity(attempt), call)));
  }

  /** After an abandoned call, all of the identity and not only what the handle names. */
  CleanupReport teardown(Attempt attempt) throws ExtensionException {
    SandboxHandle handle = attempt.handle();
    TeardownTarget target =
        handle == null || attempt.abandoned()
            ? new TeardownTarget.ByIdentity(identity(attempt))
            : new TeardownTarget.ByHandle(identity(attempt), handle);
    return figures.of(
        "teardown",
        attempt,
        () ->
            calls.call(
                attempt.extension().text(),
                attempt.host(),
                "teardown",
                TEARDOWN,
                (extension, call) -> extension.teardown(target, call)));
  }

  /**
   * Has the backend move the end that it sets itself.
   *
   * @return the end that it granted
   */
  Instant extend(Attempt attempt, Instant until) throws ExtensionException {
    SandboxHandle handle = Objects.requireNonNull(attempt.handle());
    return figures.of(
        "extend",
        attempt,
        () ->
            calls.call(
                attempt.extension().text(),
                attempt.host(),
                "extend",
                EXTEND,
                (extension, call) -> {
                  if (extension instanceof Lifetime lifetime) {
                    return Objects.requireNonNull(lifetime.extend(handle, until, call));
                  }
                  throw new ExtensionException(ErrorCode.UNSUPPORTED, "it has no lifetime");
                }));
  }

  /**
   * Suspends a running sandbox.
   *
   * @return the handle to use from now on
   */
  SandboxHandle suspend(Sandbox sandbox, Attempt attempt, Cancellation cancellation)
      throws ExtensionException {
    SandboxHandle handle = Objects.requireNonNull(attempt.handle());
    return slow(
        "suspend",
        sandbox,
        attempt,
        cancellation,
        (extension, call) -> Objects.requireNonNull(suspendable(extension).suspend(handle, call)));
  }

  /** Resumes a suspended sandbox. */
  Suspendable.Resumed resume(Sandbox sandbox, Attempt attempt, Cancellation cancellation)
      throws ExtensionException {
    SandboxHandle handle = Objects.requireNonNull(attempt.handle());
    return slow(
        "resume",
        sandbox,
        attempt,
        cancellation,
        (extension, call) -> Objects.requireNonNull(suspendable(extension).resume(handle, call)));
  }

  private static Suspendable suspendable(SandboxExtension extension) throws ExtensionException {
    if (extension instanceof Suspendable suspendable) {
      return suspendable;
    }
    throw new ExtensionException(ErrorCode.UNSUPPORTED, "it cannot suspend");
  }

  /** How long an abandoned call of this backend may still take effect. */
  Duration lateEffectWindow(ExtensionId extension) {
    return registry
        .descriptor(extension.text())
        .map(ExtensionDescriptor::lateEffectWindow)
        .orElse(Duration.ofMinutes(1));
  }

  private SandboxIdentity identity(Attempt attempt) {
    return new SandboxIdentity(
        installation.id(), attempt.sandboxId().raw(), attempt.generation(), attempt.number());
  }

  private static <T> T await(RunningCall<T> running, Cancellation cancellation)
      throws ExtensionException {
    cancellation.onCancel(running::cancel);
    return running.await();
  }
}
