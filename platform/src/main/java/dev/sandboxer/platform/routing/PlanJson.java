package dev.sandboxer.platform.routing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;

/** Plans as they are stored. */
@ApplicationScoped
public class PlanJson {

  private final ObjectMapper json;

  PlanJson(ObjectMapper json) {
    this.json = json;
  }

  /**
   * Writes a plan.
   *
   * @param plan of a generation
   * @return {@code {candidates: [{extension, host}], rejected: [{extension, host, reasons:
   *     [{profile_key, message}]}]}}, host ids
   */
  public String text(Plan plan) {
    try {
      return json.writeValueAsString(
          Map.of(
              "candidates", plan.candidates().stream().map(PlanJson::row).toList(),
              "rejected", plan.rejected().stream().map(PlanJson::row).toList()));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a plan cannot be written as JSON", e);
    }
  }

  private static Map<String, Object> row(Candidate candidate) {
    return Map.of("extension", candidate.extension().text(), "host", candidate.host().id());
  }

  private static Map<String, Object> row(Rejection rejection) {
    List<Map<String, String>> reasons =
        rejection.reasons().stream()
            .map(one -> Map.of("profile_key", one.profileKey(), "message", one.message()))
            .toList();
    return Map.of(
        "extension", rejection.extension().text(), "host", rejection.host(), "reasons", reasons);
  }
}
