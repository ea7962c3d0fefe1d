package dev.sandboxer.bench.measure;

import java.time.Duration;
import java.util.List;

/**
 * Takes the samples of several lanes side by side: short bursts of each in turn, so that what
 * disturbs the machine disturbs all of them alike.
 *
 * @param warmUp how long each lane runs unmeasured first
 * @param rounds how often each lane has its turn
 * @param burst samples a turn
 */
public record Interleaving(Duration warmUp, int rounds, int burst) {

  /** Measures all lanes; the first operation that fails ends it. */
  public void measure(List<Lane> lanes) throws Exception {
    for (Lane lane : lanes) {
      lane.warm(System.nanoTime() + warmUp.toNanos());
    }
    for (int round = 0; round < rounds; round++) {
      for (Lane lane : lanes) {
        lane.measure(burst);
      }
    }
  }
}
