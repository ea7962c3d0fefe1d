package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.token.TokenClaims;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Every request and WebSocket that is open through the relay on this node, so that each can be cut
 * here, without asking boxd. Usable from any thread.
 */
public final class OpenStreams {

  /** Below boxd's own 256, which idle connections and the platform's calls share. */
  private static final int MAX_A_SANDBOX = 192;

  private final Map<Key, Set<OpenStream>> open = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();

  /** What a revocation is about; the constants are those of its record, in capitals. */
  public enum Scope {
    /** One session, by the {@code sid} of its tokens. */
    SESSION,
    /** One sandbox, by its raw id. */
    SANDBOX,
    /** One tenant, by its id. */
    TENANT,
    /** One API key, by its id. */
    KEY,
    /** All; the id does not matter. */
    ALL
  }

  /** Something open. */
  interface OpenStream {

    /** Whose it is. */
    Target target();

    /** The token or ticket that opened it, or the token that renewed it since. */
    TokenClaims claims();

    /** Ends it, at once. Called on any thread, perhaps more than once. */
    void cut();

    /** Looks after it, now and then. Called on any thread. */
    void watch();

    /** Closes a WebSocket with 1012 because the platform stops. Called on any thread. */
    default void restart() {}
  }

  /** Registers, unless the sandbox has too many. */
  boolean add(OpenStream stream) {
    Set<OpenStream> set =
        open.compute(
            Key.of(stream.target()),
            (key, known) -> {
              Set<OpenStream> streams = known == null ? ConcurrentHashMap.newKeySet() : known;
              if (streams.size() < MAX_A_SANDBOX) {
                streams.add(stream);
              }
              return streams;
            });
    boolean added = set.contains(stream);
    if (added) {
      count.incrementAndGet();
    }
    return added;
  }

  void remove(OpenStream stream) {
    open.computeIfPresent(
        Key.of(stream.target()),
        (key, streams) -> {
          if (streams.remove(stream)) {
            count.decrementAndGet();
          }
          return streams.isEmpty() ? null : streams;
        });
  }

  /**
   * Cuts what a revocation ends: streams of that scope whose token has an epoch below the new
   * minimum. Repeatable.
   *
   * @param scope what it is about
   * @param id of it
   * @param minEpoch the new minimum; {@link Long#MAX_VALUE} cuts them all
   * @return how many were cut
   */
  public int cut(Scope scope, String id, long minEpoch) {
    return cut(
        stream ->
            stream.claims().epoch() < minEpoch
                && switch (scope) {
                  case SESSION -> id.equals(stream.claims().sessionId());
                  case SANDBOX -> id.equals(stream.target().sandboxId().raw());
                  case TENANT -> id.equals(stream.target().tenantId());
                  case KEY -> id.equals(stream.claims().clientId());
                  case ALL -> true;
                });
  }

  /**
   * Cuts all streams of one incarnation: clients see their connection end.
   *
   * @param sandboxId the sandbox's id
   * @param generation incarnation
   * @return how many were open
   */
  public int close(SandboxId sandboxId, int generation) {
    Set<OpenStream> streams = open.get(new Key(sandboxId, generation));
    if (streams == null) {
      return 0;
    }
    List<OpenStream> present = new ArrayList<>(streams);
    present.forEach(OpenStream::cut);
    return present.size();
  }

  /**
   * Cuts all streams to one tenant's sandboxes.
   *
   * @param tenantId the tenant
   * @return how many were open
   */
  public int closeTenant(String tenantId) {
    return cut(stream -> stream.target().tenantId().equals(tenantId));
  }

  private int cut(Predicate<OpenStream> which) {
    List<OpenStream> present = open.values().stream().flatMap(Set::stream).filter(which).toList();
    present.forEach(OpenStream::cut);
    return present.size();
  }

  /**
   * How many are open.
   *
   * @return at least 0
   */
  public int count() {
    return count.get();
  }

  /** Lets each look after itself. */
  void watch() {
    open.values().forEach(streams -> streams.forEach(OpenStream::watch));
  }

  /** Closes all WebSockets with 1012 because the platform stops. Requests go on. */
  public void restart() {
    open.values().forEach(streams -> streams.forEach(OpenStream::restart));
  }

  /**
   * One target for each incarnation that has open streams.
   *
   * @return as they are now
   */
  public List<Target> targets() {
    List<Target> targets = new ArrayList<>();
    open.values()
        .forEach(streams -> streams.stream().findAny().ifPresent(s -> targets.add(s.target())));
    return targets;
  }

  private record Key(SandboxId sandboxId, int generation) {
    static Key of(Target target) {
      return new Key(target.sandboxId(), target.generation());
    }
  }
}
