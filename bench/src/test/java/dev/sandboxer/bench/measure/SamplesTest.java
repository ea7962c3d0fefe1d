package dev.sandboxer.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SamplesTest {

  @Test
  void percentilesAreMeasuredValues() {
    Samples samples = new Samples();
    IntStream.rangeClosed(1, 200).map(i -> 201 - i).forEach(samples::add);
    assertThat(samples.p50()).isEqualTo(100);
    assertThat(samples.percentile(95)).isEqualTo(190);
    assertThat(samples.percentile(99)).isEqualTo(198);
    assertThat(samples.percentile(100)).isEqualTo(200);
    samples.add(0.5);
    assertThat(samples.percentile(0.1)).isEqualTo(0.5);
  }

  @Test
  void oneIsEnoughAndNoneIsAnError() {
    assertThat(Samples.of(7).percentile(99)).isEqualTo(7);
    assertThatThrownBy(() -> new Samples().p50()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void scales() {
    assertThat(Samples.of(1000, 3000, 2000).times(1e-3).p50()).isEqualTo(2);
  }

  @Test
  void timesOfOneAmountAreRates() {
    assertThat(Samples.of(10, 20, 50).rates(100).p50()).isEqualTo(5);
  }
}
