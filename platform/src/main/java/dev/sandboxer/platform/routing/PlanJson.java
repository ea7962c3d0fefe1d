package dev.sandboxer.platform.routing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.pricing.Money;
import dev.sandboxer.platform.pricing.Quote;
import dev.sandboxer.spi.MeterQuote;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Plans as they are stored and shown. */
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
   * @return {@code {strategy, candidates: [{rank, extension, host, score, reason, load, quote?}],
   *     rejected: [{extension, host, reasons: [{profile_key, message}]}]}}, host ids; {@code score}
   *     is null for what comes last whatever the others are
   */
  public Map<String, Object> map(Plan plan) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("strategy", plan.strategy());
    List<Choice> candidates = plan.candidates();
    map.put(
        "candidates",
        IntStream.range(0, candidates.size())
            .mapToObj(index -> row(index + 1, candidates.get(index)))
            .toList());
    map.put("rejected", plan.rejected().stream().map(PlanJson::row).toList());
    return map;
  }

  /**
   * Writes a plan for its row.
   *
   * @param plan of a generation
   * @return JSON of {@link #map}
   */
  public String text(Plan plan) {
    try {
      return json.writeValueAsString(map(plan));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a plan cannot be written as JSON", e);
    }
  }

  private static Map<String, Object> row(int rank, Choice choice) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("rank", rank);
    row.put("extension", choice.extension().text());
    row.put("host", choice.host().id());
    double score = choice.score().value();
    row.put("score", Double.isFinite(score) ? score : null);
    row.put("reason", choice.score().reason());
    row.put("load", Math.round(choice.load() * 1000) / 1000.0);
    row.put("limited", choice.limited());
    Quote.@Nullable Priced quote = choice.quote();
    if (quote != null) {
      row.put("quote", quote(quote));
    }
    return row;
  }

  private static Map<String, Object> quote(Quote.Priced quote) {
    Map<String, Object> row = new LinkedHashMap<>();
    MeterQuote asked = quote.asked();
    row.putAll(new Money(asked.amount(), asked.currency()).json());
    row.put("converted", quote.compared().json());
    row.put("basis", asked.basis().name().toLowerCase(Locale.ROOT));
    row.put("source", quote.source());
    row.put("valid_until", quote.validUntil().equals(Instant.MAX) ? null : quote.validUntil());
    return row;
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
