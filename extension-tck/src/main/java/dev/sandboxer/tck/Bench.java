package dev.sandboxer.tck;

import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxExtensionProvider;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.spi.loading.ExtensionClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** One extension, created by one platform of an installation, and the calls that checks make. */
final class Bench {
  private static final int MOST_PAGES = 1000;
  // The platform waits for the whole window that is declared; a check cannot.
  private static final Duration LATEST = Duration.ofSeconds(5);
  private static final String SEE = "see its message; is the environment of the suite right?";
  private static final String ALWAYS =
      "teardown, inspect, find and inventory must always be possible while the backend answers";

  private final Environment environment;
  private final LentContext context;
  private final ExtensionClassLoader loader;
  private final SandboxExtensionProvider provider;
  private final SandboxExtension extension;
  private final Requests requests;
  private final Set<SandboxIdentity> used = ConcurrentHashMap.newKeySet();
  private volatile boolean abandoned;
  private boolean closed;

  private Bench(
      Environment environment,
      LentContext context,
      BoxdBinary boxd,
      ExtensionClassLoader loader,
      SandboxExtensionProvider provider)
      throws ExtensionException {
    this.environment = environment;
    this.context = context;
    this.loader = loader;
    this.provider = provider;
    context.declare(provider.descriptor().settings());
    this.extension =
        call("create", call -> provider.create(new ExtensionConfig(environment.config()), context));
    this.requests = new Requests(environment, provider.descriptor(), boxd);
  }

  /** Loads the extension in a class loader of its own, as each start of a platform does. */
  static Bench open(Environment environment, LentContext context, BoxdBinary boxd) {
    ExtensionClassLoader loader = ExtensionClassLoader.of("tck", environment.classPath());
    try {
      return new Bench(environment, context, boxd, loader, provider(environment, loader));
    } catch (ExtensionException e) {
      throw Promise.DESCRIPTION.broken("create failed with " + Answer.describe(e), SEE);
    }
  }

  static SandboxExtensionProvider provider(Environment environment, ExtensionClassLoader loader) {
    return Answer.of(
            new BoundCall<>(
                    "loading",
                    environment.host(),
                    environment.patience(),
                    loader,
                    _ -> loader.provider())
                .start())
        .orElseBreak(
            Promise.CONTEXT_CLASS_LOADER,
            "loading by ServiceLoader in a class loader of its own",
            "name the provider's class, and only it, in"
                + " META-INF/services/dev.sandboxer.spi.SandboxExtensionProvider");
  }

  LentContext context() {
    return context;
  }

  SandboxExtensionProvider provider() {
    return provider;
  }

  HostRef host() {
    return environment.host();
  }

  ExtensionDescriptor descriptor() {
    return provider.descriptor();
  }

  SandboxExtension extension() {
    return extension;
  }

  Requests requests() {
    return requests;
  }

  Duration patience() {
    return environment.patience();
  }

  /** An identity of this installation; what carries it is removed at the end of the check. */
  SandboxIdentity identity() {
    return using(Requests.identity(context.installation()));
  }

  SandboxIdentity using(SandboxIdentity identity) {
    used.add(identity);
    return identity;
  }

  <T> BoundCall<T> start(String name, Duration limit, BoundCall.Body<T> body) {
    return new BoundCall<>(name, environment.host(), limit, loader, body).start();
  }

  <T> T call(String name, BoundCall.Body<T> body) throws ExtensionException {
    return start(name, environment.patience(), body).await();
  }

  <T> Answer<T> attempt(String name, BoundCall.Body<T> body) {
    return Answer.of(start(name, environment.patience(), body));
  }

  BoundCall<SandboxHandle> startProvision(ProvisionRequest request, Duration limit) {
    using(request.identity());
    abandoned |= limit.compareTo(environment.patience()) < 0;
    return start("provision", limit, call -> extension.provision(request, call));
  }

  Answer<SandboxHandle> tryProvision(ProvisionRequest request) {
    return Answer.of(startProvision(request, environment.patience()));
  }

  SandboxHandle provision(SandboxIdentity identity) {
    return tryProvision(requests.of(identity)).orElseBreak(Promise.READINESS, "provision", SEE);
  }

  Answer<Reachability> tryWaitReady(SandboxHandle handle) {
    return attempt("waitReady", call -> extension.waitReady(handle, call));
  }

  Reachability waitReady(SandboxHandle handle) {
    return tryWaitReady(handle).orElseBreak(Promise.READINESS, "waitReady", SEE);
  }

  Inspection inspect(SandboxHandle handle) {
    return attempt("inspect", call -> extension.inspect(handle, call))
        .orElseBreak(Promise.ALWAYS_ALLOWED, "inspect", ALWAYS);
  }

  List<SandboxHandle> find(SandboxIdentity identity) {
    return attempt("find", call -> extension.find(identity, call))
        .orElseBreak(Promise.ALWAYS_ALLOWED, "find", ALWAYS);
  }

  CleanupReport teardown(SandboxIdentity identity) {
    return teardown(new TeardownTarget.ByIdentity(identity));
  }

  CleanupReport teardown(SandboxIdentity identity, SandboxHandle handle) {
    return teardown(new TeardownTarget.ByHandle(identity, handle));
  }

  private CleanupReport teardown(TeardownTarget target) {
    return tryTeardown(target).orElseBreak(Promise.ALWAYS_ALLOWED, "teardown", ALWAYS);
  }

  Answer<CleanupReport> tryTeardown(TeardownTarget target) {
    return attempt("teardown", call -> extension.teardown(target, call));
  }

  /** All pages as one. */
  InventoryPage inventory() {
    List<InventoryPage.InventoryObject> objects = new ArrayList<>();
    @Nullable String cursor = null;
    for (int pages = 0; pages < MOST_PAGES; pages++) {
      InventoryQuery query = new InventoryQuery(environment.host(), cursor);
      InventoryPage page =
          attempt("inventory", call -> extension.inventory(query, call))
              .orElseBreak(Promise.ALWAYS_ALLOWED, "inventory", ALWAYS);
      objects.addAll(page.objects());
      cursor = page.nextCursor();
      if (cursor == null) {
        return new InventoryPage(page.scope(), page.complete(), objects, null);
      }
    }
    throw Promise.INVENTORY.broken(
        "the inventory has more than " + MOST_PAGES + " pages",
        "give no next cursor on the last page");
  }

  /** Until when a provision that was cut short may still have an effect. */
  Duration lateEffects() {
    Duration window = descriptor().lateEffectWindow();
    if (!abandoned) {
      return Duration.ZERO;
    }
    return window.compareTo(LATEST) < 0 ? window : LATEST;
  }

  /** Removes what the check made; says what cannot be removed. */
  List<String> clean() {
    if (closed) {
      return List.of();
    }
    Duration window = lateEffects();
    List<String> first = cleanOnce();
    if (window.isZero()) {
      return first;
    }
    long end = System.nanoTime() + window.toNanos();
    return Waiting.until(window, this::cleanOnce, _ -> System.nanoTime() >= end);
  }

  private List<String> cleanOnce() {
    List<String> left = new ArrayList<>();
    for (SandboxIdentity identity : used) {
      Answer<CleanupReport> answer = tryTeardown(new TeardownTarget.ByIdentity(identity));
      CleanupReport report = answer.value();
      if (report == null || !report.clean()) {
        left.add(identity.name() + ": " + answer);
      }
    }
    return left;
  }

  /** As at the platform's clean end; once. */
  void close() {
    if (!closed) {
      closed = true;
      extension.close();
    }
  }
}
