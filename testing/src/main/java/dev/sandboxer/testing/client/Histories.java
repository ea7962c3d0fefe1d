package dev.sandboxer.testing.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the log says of the sandboxes that a test made: each transition once, in order. */
public final class Histories {

  /** States that may follow another one; a log begins with {@code requested}. */
  private static final Map<String, Set<String>> NEXT =
      Map.ofEntries(
          Map.entry("", Set.of("requested")),
          Map.entry("requested", Set.of("provisioning", "failed", "destroying")),
          Map.entry("provisioning", Set.of("requested", "ready", "failed", "destroying")),
          Map.entry(
              "ready",
              Set.of("requested", "active", "suspending", "expired", "failed", "destroying")),
          Map.entry("active", Set.of("requested", "suspending", "expired", "failed", "destroying")),
          Map.entry("suspending", Set.of("suspended", "ready", "failed", "destroying")),
          Map.entry(
              "suspended", Set.of("requested", "resuming", "expired", "failed", "destroying")),
          Map.entry("resuming", Set.of("ready", "suspended", "failed", "destroying")),
          Map.entry("expired", Set.of("requested", "destroying")),
          Map.entry("failed", Set.of("requested", "destroying")),
          Map.entry("destroying", Set.of("destroyed")),
          Map.entry("destroyed", Set.of()));

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
    long seq = 0;
    int generation = 1;
    String last = "";
    for (JsonNode event : history) {
      assertThat(event.path("seq").asLong()).as("number of %s", event).isEqualTo(++seq);
      String state = event.path("type").asText().replace("sandbox.", "");
      if (NEXT.containsKey(state)) {
        assertThat(NEXT.get(last))
            .as("what may follow %s, in %s", last, types(history))
            .contains(state);
        if (state.equals("requested") && !Set.of("", "provisioning").contains(last)) {
          generation++;
        }
        last = state;
      }
      assertThat(event.path("state").asText()).as("state after %s", event).isEqualTo(last);
      assertThat(event.at("/detail/generation").asInt())
          .as("generation of %s", event)
          .isEqualTo(generation);
    }
    assertThat(last)
        .as("the last state that the log tells of %s, in %s", id, types(history))
        .isIn(before.path("state").asText(), after.path("state").asText());
  }

  private static List<String> types(JsonNode history) {
    return history.findValuesAsText("type");
  }
}
