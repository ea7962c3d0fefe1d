package dev.sandboxer.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.util.JSONObjectUtils;
import dev.sandboxer.bench.measure.Samples;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReportTest {

  private static final Machine MACHINE = new Machine("cpu", 2, 8_000_000_000L, "Linux", "25", 0.1);
  private static final Row FLOOR = Row.of("a.floor", "floor", "ms", Samples.of(1, 2, 3));
  private static final Row SLOW =
      Row.of("a", "slow", "ms", hundred()).over(FLOOR).within(Goal.atMost(49));
  private static final Row FAST = Row.of("b", "fast", "MB/s", hundred()).within(Goal.atLeast(50));

  private static Samples hundred() {
    Samples samples = new Samples();
    IntStream.rangeClosed(1, 100).forEach(samples::add);
    return samples;
  }

  @Test
  void tableSaysWhatIsReached() {
    String text = Table.of(new Report(MACHINE, List.of(FLOOR, SLOW, FAST), List.of("x: broke")));
    assertThat(text.lines().filter(line -> line.startsWith("slow")))
        .singleElement()
        .asString()
        .containsSubsequence(
            "50.00", "95.00", "99.00", "ms", "100", "25.00", "<= 49.00", "NOT reached");
    assertThat(text.lines().filter(line -> line.startsWith("fast")))
        .singleElement()
        .asString()
        .contains(">= 50.00")
        .doesNotContain("NOT");
    assertThat(text)
        .contains("FAILED x: broke", "1 of 2 goals reached")
        .doesNotContain("NOT a quiet");
  }

  @Test
  void tooFewSamplesHaveNoTail() {
    assertThat(FLOOR.p95()).isNull();
    assertThat(FLOOR.p99()).isNull();
    assertThat(SLOW.p99()).isEqualTo(99);
  }

  @Test
  void jsonSaysTheSame() throws Exception {
    String json = Json.of(new Report(MACHINE, List.of(FLOOR, SLOW), List.of()));
    assertThat(json.lines()).hasSize(1);
    Map<String, Object>[] rows =
        JSONObjectUtils.getJSONObjectArray(JSONObjectUtils.parse(json), "rows");
    assertThat(rows[0]).containsEntry("id", "a.floor").doesNotContainKeys("p95", "goal", "reached");
    assertThat(rows[1])
        .containsEntry("floor", "a.floor")
        .containsEntry("ratio", 25.0)
        .containsEntry("reached", false)
        .containsEntry("goal", Map.of("at_most", 49.0));
  }

  @Test
  void readsThisMachine() {
    Machine here = Machine.here();
    assertThat(here.cores()).isPositive();
    assertThat(here.memoryBytes()).isGreaterThan(100_000_000);
    assertThat(here.load()).isNotNegative();
  }
}
