package dev.sandboxer.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InterleavingTest {

  private static final Interleaving PLAN = new Interleaving(Duration.ZERO, 2, 2);

  @Test
  void lanesTakeTurns() throws Exception {
    List<String> order = new ArrayList<>();
    Lane first = new Lane("a", () -> order.add("a"));
    Lane second = new Lane("b", () -> order.add("b"));
    PLAN.measure(List.of(first, second));
    assertThat(String.join("", order)).isEqualTo("aabbaabb");
    assertThat(first.samples().count()).isEqualTo(4);
    assertThat(second.samples().count()).isEqualTo(4);
  }

  @Test
  void warmingUpIsNotMeasured() throws Exception {
    List<String> calls = new ArrayList<>();
    Lane lane = new Lane("a", () -> calls.add("a"));
    new Interleaving(Duration.ofMillis(200), 1, 3).measure(List.of(lane));
    assertThat(lane.samples().count()).isEqualTo(3);
    assertThat(calls).hasSizeGreaterThan(3);
  }

  @Test
  void aFailedOperationIsNoSample() {
    Lane lane =
        new Lane(
            "a",
            () -> {
              throw new IOException("refused");
            });
    assertThatThrownBy(() -> PLAN.measure(List.of(lane))).hasMessage("refused");
    assertThat(lane.samples().count()).isZero();
  }
}
