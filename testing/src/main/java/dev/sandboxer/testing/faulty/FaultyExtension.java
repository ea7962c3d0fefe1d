package dev.sandboxer.testing.faulty;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.Lifetime;
import dev.sandboxer.spi.MeterQuote;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.spi.VolumeInfo;
import dev.sandboxer.spi.Volumes;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Lets calls through to a sound extension, or has them meet a fault. */
final class FaultyExtension implements SandboxExtension, Lifetime, Volumes {

  /** When a late call takes effect. */
  static final Duration LATE = Duration.ofMillis(500);

  private static final Duration LATEST = Duration.ofSeconds(1);

  private static final Duration LOOK = Duration.ofMillis(20);
  private static final Duration SLOW = Duration.ofMillis(150);

  private final SandboxExtension sound;
  private final Faults faults;
  private final Path state;
  private final VolumeFiles volumes;
  private final ArchiveFiles archives;

  FaultyExtension(SandboxExtension sound, Path state) {
    this.sound = sound;
    this.faults = new Faults(state.resolve("faults"));
    this.state = state;
    this.volumes = new VolumeFiles(state.resolve("volumes"));
    this.archives = new ArchiveFiles(state.resolve("archives"));
  }

  private interface Action<T> {
    T run() throws ExtensionException;
  }

  private <T> T faulty(String name, Call call, Action<T> action) throws ExtensionException {
    return meets(faults.of(name), name, call, action);
  }

  private <T> T meets(Fault fault, String name, Call call, Action<T> action)
      throws ExtensionException {
    return switch (fault) {
      case NONE, MADE_AND_FAILED -> action.run();
      case SLOW -> {
        pause(SLOW);
        yield action.run();
      }
      case TWICE -> {
        Thread other = Thread.ofVirtual().start(() -> quietly(action));
        T result = action.run();
        join(other);
        yield result;
      }
      case HANG -> {
        hang(call);
        throw unavailable(name + " hung", Outcome.NOTHING_CREATED);
      }
      case CAPACITY -> throw new ExtensionException(ErrorCode.CAPACITY, "there is no room");
      case LOST_REQUEST -> throw unavailable("the request was lost", Outcome.UNKNOWN);
      case LOST_ANSWER -> {
        var _ = action.run();
        throw unavailable("the answer was lost", Outcome.UNKNOWN);
      }
      case LATE -> {
        Thread.ofVirtual().start(() -> late(action));
        throw unavailable("the answer is late", Outcome.UNKNOWN);
      }
    };
  }

  /**
   * On a machine that stands still it would be later than was promised, and does nothing. So it
   * does behind other calls of the sound extension, which lets in one at a time by its own lock.
   */
  private void late(Action<?> action) {
    long called = System.nanoTime();
    pause(LATE);
    synchronized (sound) {
      if (System.nanoTime() - called < LATEST.toNanos()) {
        quietly(action);
      }
    }
  }

  private static ExtensionException unavailable(String message, Outcome outcome) {
    return new ExtensionException(ErrorCode.UNAVAILABLE, outcome, message, null);
  }

  private static void quietly(Action<?> action) {
    try {
      var _ = action.run();
    } catch (ExtensionException e) {
      // nobody waits for it
    }
  }

  /** The fault itself, no wait for a condition. */
  private static void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void hang(Call call) {
    while (!call.cancelled() && !faults.over()) {
      pause(LOOK);
    }
  }

  @Override
  public SandboxHandle provision(ProvisionRequest whole, Call call) throws ExtensionException {
    ProvisionRequest request = archives.without(volumes.without(whole));
    Fault fault = faults.of("provision");
    if (fault == Fault.MADE_AND_FAILED) {
      SandboxHandle made = sound.provision(request, call);
      throw unavailable("it was made and is of no use", new Outcome.Created(made));
    }
    return meets(fault, "provision", call, () -> sound.provision(request, call));
  }

  @Override
  public Reachability waitReady(SandboxHandle handle, Call call) throws ExtensionException {
    return faulty("waitReady", call, () -> sound.waitReady(handle, call));
  }

  @Override
  public Inspection inspect(SandboxHandle handle, Call call) throws ExtensionException {
    return faulty("inspect", call, () -> sound.inspect(handle, call));
  }

  @Override
  public List<SandboxHandle> find(SandboxIdentity identity, Call call) throws ExtensionException {
    return faulty("find", call, () -> sound.find(identity, call));
  }

  @Override
  public CleanupReport teardown(TeardownTarget target, Call call) throws ExtensionException {
    if (faults.whim(Whim.KEEPS_ALL).isPresent()) {
      return CleanupReport.NOTHING;
    }
    return faulty("teardown", call, () -> sound.teardown(target, call));
  }

  @Override
  public Instant extend(SandboxHandle handle, Instant until, Call call) throws ExtensionException {
    return faulty("extend", call, () -> extended(handle, until));
  }

  /** It never ends anything by itself: what it granted is read by tests. */
  private synchronized Instant extended(SandboxHandle handle, Instant until) {
    Instant now = Instant.now();
    Instant granted =
        faults
            .whim(Whim.GRANTS_AT_MOST)
            .map(most -> now.plusSeconds(Long.parseLong(most)))
            .or(() -> faults.whim(Whim.GRANTS_UNTIL).map(Instant::parse))
            .filter(until::isAfter)
            .orElse(until);
    new Extended(handle.data(), now, until, granted).append(state.resolve(Extended.FILE));
    return granted;
  }

  @Override
  public InventoryPage inventory(InventoryQuery query, Call call) throws ExtensionException {
    return faulty("inventory", call, () -> listed(query, sound.inventory(query, call)));
  }

  private InventoryPage listed(InventoryQuery query, InventoryPage all) {
    if (faults.whim(Whim.EMPTY).isPresent()) {
      return new InventoryPage(all.scope(), true, List.of(), null);
    }
    String omitted = faults.whim(Whim.OMITS).orElse("");
    String disowned = faults.whim(Whim.DISOWNS).orElse("");
    List<InventoryPage.InventoryObject> kept =
        all.objects().stream()
            .filter(object -> !object.identity().sandbox().equals(omitted))
            .map(object -> object.identity().sandbox().equals(disowned) ? strange(object) : object)
            .toList();
    int first = query.cursor() == null ? 0 : Integer.parseInt(query.cursor());
    int size = faults.whim(Whim.PAGES_OF).map(Integer::parseInt).orElse(Integer.MAX_VALUE - first);
    boolean last = first + size >= kept.size();
    return new InventoryPage(
        all.scope(),
        last && all.complete() && faults.whim(Whim.PARTIAL).isEmpty(),
        kept.subList(Math.min(first, kept.size()), last ? kept.size() : first + size),
        last ? null : Integer.toString(first + size));
  }

  private static InventoryPage.InventoryObject strange(InventoryPage.InventoryObject object) {
    SandboxIdentity own = object.identity();
    return new InventoryPage.InventoryObject(
        new SandboxIdentity(
            "00000000-0000-4000-8000-000000000000", own.sandbox(), own.generation(), own.attempt()),
        object.providerUid(),
        object.createdAt(),
        object.handle());
  }

  @Override
  public void ensureVolume(HostRef host, String name, long sizeBytes, Call call)
      throws ExtensionException {
    boolean _ = faulty("ensureVolume", call, () -> volumes.ensure(name, sizeBytes));
  }

  @Override
  public void removeVolume(HostRef host, String name, Call call) throws ExtensionException {
    boolean _ = faulty("removeVolume", call, () -> volumes.remove(name));
  }

  @Override
  public Optional<VolumeInfo> inspectVolume(HostRef host, String name, Call call)
      throws ExtensionException {
    return volumes.list().stream().filter(volume -> volume.name().equals(name)).findFirst();
  }

  @Override
  public List<VolumeInfo> volumes(HostRef host, Call call) throws ExtensionException {
    return volumes.list();
  }

  @Override
  public MeterQuote estimateCost(CostQuery query, Call call) throws ExtensionException {
    return sound.estimateCost(query, call);
  }

  @Override
  public void close() {
    sound.close();
  }
}
