package dev.sandboxer.platform.extension;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Probing;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * What trying a backend on a host found. A try makes a real sandbox, so its result is kept; callers
 * at the same time share one try, and no lock is held during it.
 */
@ApplicationScoped
public class Probes {

  private static final Duration KEPT = Duration.ofMinutes(10);
  private static final CallLimits LIMITS = CallLimits.of(Duration.ofSeconds(15));

  private final ExtensionCalls calls;
  private final Clock clock;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AsyncCache<Place, Probed> kept =
      Caffeine.newBuilder().expireAfterWrite(KEPT).executor(threads).buildAsync();

  Probes(ExtensionCalls calls, Clock clock) {
    this.calls = calls;
    this.clock = clock;
  }

  private record Place(String extensionId, String hostId) {}

  /**
   * A result.
   *
   * @param probe what was found, empty if the backend cannot try or the try failed
   * @param failure why the try failed, null if it did not
   * @param at when
   */
  public record Probed(Optional<Probing.Probe> probe, @Nullable String failure, Instant at) {}

  /**
   * The last result, or that of a new try. Blocks for at most 15 s; never inside a transaction.
   *
   * @param extensionId whom to try
   * @param host where
   * @param age how old the result may be, at most ten minutes
   * @return never older than that when the call began
   */
  public Probed of(String extensionId, HostRef host, Duration age) {
    Place place = new Place(extensionId, host.id());
    CompletableFuture<Probed> known = kept.getIfPresent(place);
    if (known != null && known.join().at().isBefore(clock.instant().minus(age))) {
      var _ = kept.asMap().remove(place, known);
    }
    return kept.get(
            place, (_, _) -> CompletableFuture.supplyAsync(() -> probe(place, host), threads))
        .join();
  }

  private Probed probe(Place place, HostRef host) {
    try {
      Optional<Probing.Probe> found =
          calls.call(
              place.extensionId(),
              host,
              "probe",
              LIMITS,
              (extension, call) ->
                  extension instanceof Probing probing
                      ? Optional.of(probing.probe(call.host(), call))
                      : Optional.empty());
      return new Probed(found, null, clock.instant());
    } catch (ExtensionException e) {
      return new Probed(Optional.empty(), String.valueOf(e.getMessage()), clock.instant());
    }
  }
}
