package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Every request and WebSocket that is open through the relay on this node, so that each can be cut
 * here, without asking boxd. Usable from any thread.
 */
public final class OpenStreams {

  /** Below boxd's own 256, which idle connections and the platform's calls share. */
  private static final int MAX_A_SANDBOX = 192;

  private final Map<Key, Set<OpenStream>> open = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();

  /** Something open. */
  interface OpenStream {

    /** Whose it is. */
    Target target();

    /** Ends it. Called on any thread, perhaps more than once. */
    void cut();
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
   * Cuts all streams of one incarnation: clients see their connection end.
   *
   * @param sandboxId the raw id
   * @param generation incarnation
   * @return how many were open
   */
  public int close(String sandboxId, int generation) {
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
    List<OpenStream> present =
        open.values().stream()
            .flatMap(Set::stream)
            .filter(stream -> stream.target().tenantId().equals(tenantId))
            .toList();
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

  private record Key(String sandboxId, int generation) {
    static Key of(Target target) {
      return new Key(target.sandboxId(), target.generation());
    }
  }
}
