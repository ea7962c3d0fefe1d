package dev.sandboxer.cli.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuoteVerbTest {
  private static final String CALL = "POST /v1/quotes";
  private static final String QUOTES =
      """
      {"items": [
        {"extension": "ext.nsjail", "host": "n1", "amount": "0.00", "currency": "USD",
         "converted": {"amount": "0.00", "currency": "USD"}, "basis": "free",
         "minimum_seconds": 0, "granularity_seconds": 0, "valid_until": null, "reason": null},
        {"extension": "ext.e2b", "host": "n1", "amount": "0.284", "currency": "EUR",
         "converted": {"amount": "0.30672", "currency": "USD"}, "basis": "active",
         "minimum_seconds": 60, "granularity_seconds": 0.1,
         "valid_until": "2027-01-01T00:00:00Z", "reason": null},
        {"extension": "ext.far", "host": "n1", "amount": null, "currency": null,
         "converted": null, "basis": null, "minimum_seconds": null, "granularity_seconds": null,
         "valid_until": null, "reason": "it is \\u001b[31mdown"}],
       "rejected": [{"extension": "ext.docker", "host": "n1", "reasons": [
         {"profile_key": "isolation.level", "message": "it is vm"}]}]}
      """;

  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  @Test
  void aTableForPeopleAndTheReasonsBesideIt() {
    platform.next(CALL, StandIn.text(200, QUOTES));
    CommandLineRun quote = CommandLineRun.against(platform);
    assertThat(quote.run("quote", "small")).as(quote.err()).isZero();
    assertThat(quote.out())
        .isEqualTo(
            """
            BACKEND     HOST  COST       CONVERTED    BILLED                                 VALID UNTIL
            ext.nsjail  n1    0.00 USD   -            free                                   -
            ext.e2b     n1    0.284 EUR  0.30672 USD  active, at least 1m, in steps of 0.1s  2027-01-01T00:00:00Z
            ext.far     n1    unknown    -            -                                      -
            """);
    assertThat(quote.err())
        .isEqualTo(
            """
            ext.far on n1: it is \\u001b[31mdown
            ext.docker on n1: isolation.level: it is vm
            """);
  }

  @Test
  void jsonIsTheApisAnswer() {
    platform.next(CALL, StandIn.text(200, QUOTES));
    CommandLineRun quote = CommandLineRun.against(platform);
    assertThat(quote.run("quote", "--json", "small")).isZero();
    assertThat(new JsonObject(quote.out())).isEqualTo(new JsonObject(QUOTES));
    assertThat(quote.err()).isEmpty();
  }

  @Test
  void optionsReachTheApi() {
    List<JsonObject> sent = new CopyOnWriteArrayList<>();
    platform.next(CALL, StandIn.recording(sent, 200, "{\"items\": [], \"rejected\": []}"));
    CommandLineRun quote = CommandLineRun.against(platform);
    assertThat(
            quote.run(
                "quote", "small@2", "--input", "a=b", "--duration", "2h", "--active-share", "0.5"))
        .as(quote.err())
        .isZero();
    assertThat(sent)
        .containsExactly(
            new JsonObject()
                .put("profile", "small@2")
                .put("inputs", new JsonObject().put("a", "b"))
                .put("duration_seconds", 7200)
                .put("active_share", 0.5));
  }

  @ParameterizedTest
  @CsvSource({"--duration,2x", "--duration,0s", "--duration,2 h", "--active-share,half"})
  void aWrongOptionIsNamed(String option, String value) {
    CommandLineRun quote = CommandLineRun.against(platform);
    assertThat(quote.run("quote", "small", option, value)).isEqualTo(2);
    assertThat(quote.err()).contains(option, value);
    assertThat(platform.calls).isEmpty();
  }
}
