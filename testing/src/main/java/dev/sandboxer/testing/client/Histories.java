package dev.sandboxer.testing.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the log says of the sandboxes that a test made: each transition once, in order. */
public final class Histories {

  /** Later ones have a higher rank; after one of a life's ends comes only what removes it. */
  private static final Map<String, Integer> RANKS =
      Map.of(
          "requested", 0,
          "provisioning", 1,
          "ready", 2,
          "active", 3,
          "expired", 4,
          "failed", 4,
          "destroying", 5,
          "destroyed", 6);

  private Histories() {}

  /**
   * Checks every sandbox of the key's tenant that the platform still knows. Nothing is checked
   * where the log itself tells that it no longer keeps its beginning.
   */
  public static void check(Api api) {
    if (api.get("/v1/events?cursor=0&limit=1").json().hasNonNull("gap")) {
      return;
    }
    Api.Reply all = api.get("/v1/sandboxes?limit=1000");
    for (JsonNode sandbox : all.json().path("items")) {
      check(api, sandbox.path("id").asText());
    }
  }

  /** Checks one. */
  public static void check(Api api, String id) {
    JsonNode before = api.get("/v1/sandboxes/" + id).json();
    JsonNode history = api.get("/v1/sandboxes/" + id + "/events?limit=1000").json().path("items");
    JsonNode after = api.get("/v1/sandboxes/" + id).json();
    Map<String, Integer> reached = new HashMap<>();
    long seq = 0;
    String last = "";
    for (JsonNode event : history) {
      assertThat(event.path("seq").asLong()).as("number of %s", event).isEqualTo(++seq);
      String state = event.path("type").asText().replace("sandbox.", "");
      if (RANKS.containsKey(state)) {
        String generation = event.path("detail").path("generation").asText();
        if (state.equals("requested") && event.path("detail").has("attempt")) {
          assertThat(last)
              .as("before the next candidate, in %s", types(history))
              .isEqualTo("provisioning");
          reached.remove(generation);
        }
        int rank = RANKS.get(state);
        assertThat(rank + (state.equals("provisioning") ? 1 : 0))
            .as("%s comes once and in its place, in %s", state, types(history))
            .isGreaterThan(reached.getOrDefault(generation, -1));
        reached.put(generation, rank);
        last = state;
      }
    }
    assertThat(last)
        .as("the last state that the log tells of %s, in %s", id, types(history))
        .isIn(before.path("state").asText(), after.path("state").asText());
  }

  private static List<String> types(JsonNode history) {
    return history.findValuesAsText("type");
  }
}
