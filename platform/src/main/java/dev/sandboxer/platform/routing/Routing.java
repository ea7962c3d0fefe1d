package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.pricing.Money;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.ExtensionDescriptor.Persistence;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a sandbox is to be routed.
 *
 * @param strategy which orders the places that can run it
 * @param candidates backends that may be used, in their order; empty for all that are there
 * @param require what a place must have
 * @param prefer labels of the host that decide between equally good places
 * @param apart a label of the sandbox: those with the same value go to different hosts where they
 *     can; null for none
 * @param maxCost what it may cost for its time to live, null for any
 * @param lost what becomes of it when its node is gone, null for {@link WhenLost#WAIT}
 * @param suspendIdle whether it is suspended, and not destroyed, when nobody has used it for its
 *     idle time
 */
public record Routing(
    String strategy,
    List<Wanted> candidates,
    Require require,
    Map<String, String> prefer,
    @Nullable String apart,
    @Nullable Money maxCost,
    @Nullable WhenLost lost,
    boolean suspendIdle) {

  /** In the profile's order. */
  public static final String EXPLICIT = "explicit";

  /** Where a profile names none and several backends qualify. */
  public static final String PREFER_SELF_HOSTED = "prefer-self-hosted";

  /** Keeps immutable copies. */
  public Routing {
    candidates = List.copyOf(candidates);
    prefer = Map.copyOf(prefer);
  }

  /**
   * A backend that may be used.
   *
   * @param extension which
   * @param host the only one, null for all of the extension
   */
  public record Wanted(ExtensionId extension, @Nullable String host) {

    /** Whether both can name the same host. */
    boolean meets(Wanted other) {
      return extension.equals(other.extension)
          && (host == null || other.host == null || host.equals(other.host));
    }

    /**
     * Its form for a person.
     *
     * @return the extension, with the host if it names one
     */
    public String text() {
      return host == null ? extension.text() : extension + " on " + host;
    }
  }

  /**
   * What a place must have.
   *
   * @param region of the host, null for any
   * @param arch such as {@code amd64}, null for any
   * @param persistence at least that, null for any
   * @param hosting {@code self_hosted} or {@code saas}, null for either
   * @param labels of the host
   */
  public record Require(
      @Nullable String region,
      @Nullable String arch,
      @Nullable Persistence persistence,
      @Nullable Hosting hosting,
      Map<String, String> labels) {

    /** Nothing. */
    public static final Require NOTHING = new Require(null, null, null, null, Map.of());

    /** Keeps an immutable copy. */
    public Require {
      labels = Map.copyOf(labels);
    }

    /**
     * Whether another one contradicts it.
     *
     * @param other what is required on top
     * @return the first field that has another value in both
     */
    public Optional<String> conflict(Require other) {
      Map<String, Boolean> differ = new LinkedHashMap<>();
      differ.put("region", differs(region, other.region));
      differ.put("arch", differs(arch, other.arch));
      differ.put("persistence", differs(persistence, other.persistence));
      differ.put("hosting", differs(hosting, other.hosting));
      other.labels.forEach(
          (label, value) -> differ.put("labels." + label, differs(labels.get(label), value)));
      return differ.entrySet().stream()
          .filter(Map.Entry::getValue)
          .map(Map.Entry::getKey)
          .findFirst();
    }

    private static boolean differs(@Nullable Object one, @Nullable Object other) {
      return one != null && other != null && !one.equals(other);
    }

    /** Both, where the other one says more; the other one's value where both say something. */
    Require and(Require other) {
      Map<String, String> both = new LinkedHashMap<>(labels);
      both.putAll(other.labels);
      return new Require(
          other.region == null ? region : other.region,
          other.arch == null ? arch : other.arch,
          other.persistence == null ? persistence : other.persistence,
          other.hosting == null ? hosting : other.hosting,
          both);
    }
  }

  /**
   * One backend alone, wherever it has room.
   *
   * @param extension which
   * @return explicit routing
   */
  public static Routing of(ExtensionId extension) {
    return of(List.of(extension));
  }

  /**
   * Some backends in their order.
   *
   * @param extensions at least one
   * @return explicit routing
   */
  public static Routing of(List<ExtensionId> extensions) {
    return new Routing(
        EXPLICIT,
        extensions.stream().map(extension -> new Wanted(extension, null)).toList(),
        Require.NOTHING,
        Map.of(),
        null,
        null,
        null,
        false);
  }

  /**
   * Which extensions it names.
   *
   * @return in their order, each once; empty for all that are there
   */
  public List<ExtensionId> extensions() {
    return candidates.stream().map(Wanted::extension).distinct().toList();
  }

  /**
   * On one backend alone.
   *
   * @param extension which
   * @return a copy with those candidates that are of it
   */
  public Routing on(ExtensionId extension) {
    List<Wanted> only =
        candidates.isEmpty()
            ? List.of(new Wanted(extension, null))
            : candidates.stream().filter(one -> one.extension().equals(extension)).toList();
    return new Routing(strategy, only, require, prefer, apart, maxCost, lost, suspendIdle);
  }

  /**
   * With a limit on the cost.
   *
   * @param limit null for none
   * @return a copy
   */
  public Routing costing(@Nullable Money limit) {
    return new Routing(strategy, candidates, require, prefer, apart, limit, lost, suspendIdle);
  }

  /**
   * What becomes of it when its node is gone.
   *
   * @return {@link WhenLost#WAIT} where nothing was said
   */
  public WhenLost whenLost() {
    return Objects.requireNonNullElse(lost, WhenLost.WAIT);
  }

  /**
   * With what becomes of it when its node is gone.
   *
   * @param then null for {@link WhenLost#WAIT}
   * @return a copy
   */
  public Routing losing(@Nullable WhenLost then) {
    return new Routing(strategy, candidates, require, prefer, apart, maxCost, then, suspendIdle);
  }

  /**
   * With what becomes of it when nobody uses it.
   *
   * @param suspend whether it is suspended, and not destroyed
   * @return a copy
   */
  public Routing idling(boolean suspend) {
    return new Routing(strategy, candidates, require, prefer, apart, maxCost, lost, suspend);
  }

  /**
   * With what a request asks for on top. It can only narrow what the profile allows.
   *
   * @param request as its caller wrote it; empty texts and lists say nothing
   * @return both
   */
  public Routing narrowedBy(RequestedRouting request) {
    return new Routing(
        Objects.requireNonNullElse(request.strategy(), strategy),
        narrowedTo(request.candidates()),
        request.require().and(require),
        request.prefer().isEmpty() ? prefer : request.prefer(),
        apart,
        maxCost,
        lost,
        suspendIdle);
  }

  private List<Wanted> narrowedTo(List<Wanted> wanted) {
    if (wanted.isEmpty() || candidates.isEmpty()) {
      return wanted.isEmpty() ? candidates : wanted;
    }
    List<Wanted> both = new ArrayList<>();
    for (Wanted one : wanted) {
      candidates.stream()
          .filter(allowed -> allowed.meets(one))
          .map(allowed -> one.host() == null ? allowed : one)
          .filter(candidate -> !both.contains(candidate))
          .forEach(both::add);
    }
    return both;
  }

  /**
   * Whether a backend that a request names is among those of the profile.
   *
   * @param wanted by the request
   * @return true also where the profile allows all
   */
  public boolean allows(Wanted wanted) {
    return candidates.isEmpty() || candidates.stream().anyMatch(one -> one.meets(wanted));
  }
}
