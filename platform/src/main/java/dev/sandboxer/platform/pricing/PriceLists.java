package dev.sandboxer.platform.pricing;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.health.Finding;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.yaml.YamlException;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The operator's price lists: the YAML files in {@code $SANDBOXER_HOME/prices}. They are read at
 * start, whenever they change, and at the beginning of each day (UTC), when prices end.
 */
@ApplicationScoped
public class PriceLists {

  private static final Logger LOG = Logger.getLogger(PriceLists.class);

  private static final Duration LONGEST_LOOK = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Path folder;
  private final String currency;
  private final Clock clock;
  private volatile Reading reading = Reading.NOTHING;
  private volatile Look read = new Look(List.of(), LocalDate.MIN);
  private Look seen;

  PriceLists(Home home, Settings settings, Clock clock) {
    this.folder = home.resolve("prices");
    this.currency = settings.currency();
    this.clock = clock;
    this.seen = look();
    readAgain(seen);
  }

  /** What decides what the files mean. */
  private record Look(List<PriceText> texts, LocalDate day) {}

  private Look look() {
    return new Look(PriceText.in(folder), LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC));
  }

  /**
   * Reads the files again if they have changed and are the same as at the last look: what is
   * written in several steps is not read in between.
   */
  @RunOnVirtualThread
  @Scheduled(identity = "price lists", every = "1s", concurrentExecution = SKIP)
  synchronized void readChanges() {
    Look now = look();
    boolean settled = now.equals(seen);
    seen = now;
    if (settled && !now.equals(read)) {
      readAgain(now);
    }
  }

  /**
   * Lets a change that was just written be read first. Waits at most five seconds, and not at all
   * while nothing has changed.
   */
  public void awaitChanges() {
    long until = System.nanoTime() + LONGEST_LOOK.toNanos();
    while (!look().equals(read)
        && System.nanoTime() - until < 0
        && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private void readAgain(Look now) {
    Instant at = clock.instant();
    Reading before = reading;
    Reading next = before.next(now.texts(), currency, at);
    next.files()
        .forEach(
            (name, state) -> {
              if (!sentences(state).equals(sentences(before.files().get(name)))) {
                state.problems().forEach(PriceLists::log);
              }
            });
    reading = next;
    read = now;
  }

  private static void log(YamlException problem) {
    LOG.errorf("price list is refused %s", problem.sentence());
  }

  private static String sentences(Reading.@Nullable State state) {
    return state == null
        ? ""
        : state.problems().stream().map(YamlException::sentence).collect(Collectors.joining("; "));
  }

  /** What counts now. */
  Prices prices() {
    return reading.prices();
  }

  /** One finding a file. */
  List<Finding> findings() {
    return reading.files().entrySet().stream()
        .map(file -> finding("prices/" + file.getKey(), file.getValue()))
        .toList();
  }

  private static Finding finding(String name, Reading.State state) {
    PriceFile counts = state.counts();
    if (state.problems().isEmpty() && counts != null) {
      return new Finding(name, true, counts.summary());
    }
    String kept =
        counts == null ? "none of its prices is in force" : "its last good version stays in force";
    return new Finding(name, false, "refused, %s: %s".formatted(kept, sentences(state)));
  }
}
