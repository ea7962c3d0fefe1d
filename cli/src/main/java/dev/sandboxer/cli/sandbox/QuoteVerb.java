package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.TimeSpan;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.Table;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What a sandbox would cost at each place. */
@Command(
    name = "quote",
    description = "Show what a sandbox of a profile would cost at each place; creates nothing.")
public final class QuoteVerb extends Verb {
  private static final List<Map.Entry<String, Integer>> UNITS =
      List.of(Map.entry("d", 86_400), Map.entry("h", 3600), Map.entry("m", 60), Map.entry("s", 1));

  @Parameters(paramLabel = "PROFILE", description = "The profile, optionally with @version.")
  private String profile = "";

  @Option(
      names = "--input",
      paramLabel = "K=V",
      description = "What the profile declares under inputs; may be repeated.")
  private Map<String, String> inputs = Map.of();

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      converter = TimeSpan.class,
      description = "How long it would live, such as 90s, 30m, 2h or 1d (default: the profile's).")
  private @Nullable Duration duration;

  @Option(
      names = "--active-share",
      paramLabel = "SHARE",
      description =
          "Part of that time in which it computes, 0 to 1 (default: 1); some backends bill that"
              + " alone.")
  private @Nullable BigDecimal activeShare;

  public QuoteVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode quotes = context().api().post("/v1/quotes", body(), Map.of()).body();
    if (json()) {
      print(quotes);
      return ExitCode.OK;
    }
    Table table = new Table("BACKEND", "HOST", "COST", "CONVERTED", "BILLED", "VALID UNTIL");
    quotes.path("items").forEach(item -> table.add(row(item)));
    print(table);
    quotes.path("items").forEach(this::remark);
    quotes.path("rejected").forEach(this::rejected);
    return ExitCode.OK;
  }

  private ObjectNode body() {
    ObjectNode body = context().json().createObjectNode().put("profile", profile);
    if (!inputs.isEmpty()) {
      inputs.forEach(body.putObject("inputs")::put);
    }
    if (duration != null) {
      body.put("duration_seconds", duration.toSeconds());
    }
    if (activeShare != null) {
      body.put("active_share", activeShare);
    }
    return body;
  }

  private static String[] row(JsonNode item) {
    JsonNode converted = item.path("converted");
    boolean same = converted.path("currency").equals(item.path("currency"));
    return new String[] {
      item.path("extension").asText(),
      item.path("host").asText(),
      item.path("amount").isTextual() ? money(item) : "unknown",
      converted.isObject() && !same ? money(converted) : "-",
      billed(item),
      item.path("valid_until").asText("-")
    };
  }

  private static String money(JsonNode money) {
    return money.path("amount").asText() + " " + money.path("currency").asText();
  }

  /** For example `active, at least 1m, in steps of 5s`. */
  private static String billed(JsonNode item) {
    return item.path("amount").isTextual()
        ? item.path("basis").asText()
            + span(", at least ", item.path("minimum_seconds"))
            + span(", in steps of ", item.path("granularity_seconds"))
        : "-";
  }

  private static String span(String words, JsonNode time) {
    BigDecimal seconds = time.decimalValue();
    for (Map.Entry<String, Integer> unit : UNITS) {
      BigDecimal size = BigDecimal.valueOf(unit.getValue());
      if (seconds.signum() > 0 && seconds.remainder(size).signum() == 0) {
        return words + seconds.divide(size).toBigInteger() + unit.getKey();
      }
    }
    return seconds.signum() > 0 ? words + seconds.toPlainString() + "s" : "";
  }

  private void remark(JsonNode item) {
    if (item.path("reason").isTextual()) {
      explain(item, item.path("reason").asText());
    }
  }

  private void rejected(JsonNode one) {
    for (JsonNode reason : one.path("reasons")) {
      explain(one, reason.path("profile_key").asText() + ": " + reason.path("message").asText());
    }
  }

  private void explain(JsonNode place, String why) {
    String line =
        "%s on %s: %s"
            .formatted(place.path("extension").asText(), place.path("host").asText(), why);
    context().console().tell(Escapes.visible(line));
  }
}
