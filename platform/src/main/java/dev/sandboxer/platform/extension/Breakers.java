package dev.sandboxer.platform.extension;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** A breaker for each extension and host, for {@code provision} alone. */
@ApplicationScoped
public class Breakers {

  private static final int FAILURES_TO_OPEN = 5;
  private static final Duration REST = Duration.ofSeconds(30);

  private final Map<Key, Breaker> breakers = new ConcurrentHashMap<>();
  private final LongSupplier nanos;

  Breakers() {
    this(System::nanoTime);
  }

  Breakers(LongSupplier nanos) {
    this.nanos = nanos;
  }

  Breaker of(String extension, String host) {
    return breakers.computeIfAbsent(
        new Key(extension, host), key -> new Breaker(FAILURES_TO_OPEN, REST, nanos));
  }

  /**
   * What the breaker of an extension on a host does.
   *
   * @param extension its id
   * @param host the host's name
   * @return CLOSED also where nothing was asked yet
   */
  public Breaker.State state(String extension, String host) {
    Breaker known = breakers.get(new Key(extension, host));
    return known == null ? Breaker.State.CLOSED : known.state();
  }

  /**
   * Where the breakers of an extension stand.
   *
   * @param extension its id
   * @return by host, only hosts that were used
   */
  public Map<String, Breaker.State> states(String extension) {
    Map<String, Breaker.State> states = new TreeMap<>();
    breakers.forEach(
        (key, breaker) -> {
          if (key.extension().equals(extension)) {
            states.put(key.host(), breaker.state());
          }
        });
    return states;
  }

  private record Key(String extension, String host) {}
}
