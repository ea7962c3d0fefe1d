package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Histories;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a run leaves.
 *
 * @param node where
 * @param seed of the run; it is in the project of each of its sandboxes
 */
record FaultRunOutcome(FaultyNode node, long seed) {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String CONFIRMED =
      "{\"host\": \"%s\", \"confirm\": true}".formatted(FaultyNode.NAME);

  private String run() {
    return "seed " + seed;
  }

  /**
   * Waits until nothing is under way: neither a create nor a clean-up.
   *
   * @param kept whether a backend has kept what it said it removed, which sweeps remove
   */
  void settle(boolean kept) {
    await(run())
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(records()).allMatch(FaultRunOutcome::settled, "is settled"));
    await(run())
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              if (kept) {
                var _ = node.api().post("/v1/sweeps", CONFIRMED);
              }
              compare(live());
            });
  }

  private static boolean settled(JsonNode record) {
    return switch (record.path("state").asText()) {
      case "ready", "active", "destroyed" -> true;
      case "failed" -> record.path("cleanup").asText().equals("done");
      default -> false;
    };
  }

  List<JsonNode> records() {
    List<JsonNode> records = new ArrayList<>();
    node.api()
        .get("/v1/sandboxes?limit=1000&project=run-" + seed)
        .json()
        .path("items")
        .forEach(records::add);
    return records;
  }

  /** Raw ids of those that are up. */
  Set<String> live() {
    return records().stream()
        .filter(record -> Set.of("ready", "active").contains(record.path("state").asText()))
        .map(record -> raw(record))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String raw(JsonNode record) {
    return record.path("id").asText().substring("sb_".length());
  }

  /** One folder, one boxd and one place in the quota for each live record, and none without. */
  void compare(Set<String> live) {
    assertThat(node.folders()).as("folders, %s", run()).containsExactlyElementsOf(live);
    assertThat(node.boxes().map(FaultyNode::sandboxOf).sorted())
        .as("processes, %s", run())
        .containsExactlyElementsOf(live);
    assertThat(node.held()).as("what counts in the quota, %s", run()).isEqualTo(live.size());
  }

  void allAnswer() {
    for (String raw : live()) {
      assertThat(node.api().access("sb_" + raw).exec("echo", "alive").field("/stdout"))
          .as(run())
          .isEqualTo("alive\n");
    }
  }

  void allHaveHistories() {
    records().forEach(record -> Histories.check(node.api(), record.path("id").asText()));
  }

  void isEmptyAfterDeletes() {
    for (JsonNode record : records()) {
      var _ = node.api().delete("/v1/sandboxes/" + record.path("id").asText());
    }
    await(run() + ", deletes")
        .atMost(PATIENCE)
        .until(
            () ->
                records().stream()
                    .allMatch(record -> record.path("state").asText().equals("destroyed")));
    compare(Set.of());
    allHaveHistories();
  }
}
