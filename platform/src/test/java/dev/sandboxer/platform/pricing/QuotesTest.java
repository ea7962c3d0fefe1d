package dev.sandboxer.platform.pricing;

import static dev.sandboxer.platform.pricing.PricingHome.hour;
import static dev.sandboxer.platform.pricing.PricingHome.place;
import static dev.sandboxer.platform.pricing.PricingHome.query;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.extension.SampleJar;
import dev.sandboxer.platform.health.Finding;
import dev.sandboxer.platform.pricing.Quote.Priced;
import dev.sandboxer.platform.pricing.Quote.Unknown;
import dev.sandboxer.spi.ExtensionDescriptor.PricingModel;
import dev.sandboxer.spi.MeterQuote;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a sandbox of two CPUs and half a GiB costs. */
class QuotesTest {

  /** Notes each call, waits for a gate if there is one, and answers what a file says. */
  private static final String ESTIMATE =
      """
      try {
        java.nio.file.Path state = context.stateFolder();
        java.nio.file.Files.writeString(state.resolve("asked"), query.duration() + "\\n",
            java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.APPEND);
        while (java.nio.file.Files.exists(state.resolve("gate")) && !call.cancelled()) {
          Thread.sleep(5);
        }
        String[] answer = java.nio.file.Files.readString(state.resolve("answer")).split(" ");
        if (answer[0].equals("down")) {
          throw new ExtensionException(ErrorCode.UNAVAILABLE, "its price service is down");
        }
        return new MeterQuote(new java.math.BigDecimal(answer[0]), answer[1],
            ExtensionDescriptor.PricingModel.valueOf(answer[2]), java.time.Duration.ofSeconds(60),
            java.time.Duration.ofSeconds(1), java.time.Instant.parse(answer[3]));
      } catch (java.io.IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
      """;

  private static final Quotes.Place CLOUD = place("ext.cloud", "n1");
  private static final Quotes.Place OWN = place("ext.own", "n1");

  @TempDir static Path jars;
  @TempDir Path folder;
  private PricingHome home;

  @BeforeAll
  static void compile() throws IOException {
    new SampleJar().id("ext.own").into(jars.resolve("own"));
    new SampleJar()
        .id("ext.cloud")
        .declared(
            """
            .hosting(ExtensionDescriptor.Hosting.SAAS)
            .pricing(ExtensionDescriptor.PricingModel.ALLOCATED)""")
        .estimate(ESTIMATE)
        .into(jars.resolve("cloud"));
  }

  @BeforeEach
  void home() throws IOException {
    home = new PricingHome(folder, "USD");
    Path extensions = Files.createDirectories(folder.resolve("home/extensions"));
    for (String name : List.of("own", "cloud")) {
      Path target = Files.createDirectories(extensions.resolve(name));
      Files.copy(jars.resolve(name).resolve("sample.jar"), target.resolve("sample.jar"));
    }
  }

  private Quotes quotes() {
    return home.quotes(home.lists());
  }

  private void answers(String text) throws IOException {
    Files.createDirectories(home.state("cloud"));
    Files.writeString(home.state("cloud").resolve("answer"), text);
  }

  private long asked() throws IOException {
    try (Stream<String> lines = Files.lines(home.state("cloud").resolve("asked"))) {
      return lines.count();
    }
  }

  private static Priced priced(Quote quote) {
    assertThat(quote).isInstanceOf(Priced.class);
    return (Priced) quote;
  }

  private static String reason(Quote quote) {
    assertThat(quote).isInstanceOf(Unknown.class);
    return ((Unknown) quote).reason();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "per_hour: 0.10|PT1H|1|0.10",
        "per_vcpu_hour: 0.0504, per_gib_hour: 0.0162|PT1H|1|0.1089",
        "per_hour: 0.1, per_vcpu_hour: 0.02, per_gib_hour: 0.004|PT2H|0.5|0.284",
        "per_hour: 0|PT1H|1|0",
        "per_hour: 3.6|PT10S|1|0.01",
        "per_hour: 3.6, minimum: 60s|PT10S|1|0.06",
        "per_hour: 3.6, granularity: 60s|PT61S|1|0.12",
        "per_hour: 3.6, granularity: 60s|PT60S|1|0.06",
        "per_hour: 3.6, minimum: 90s, granularity: 1m|PT30S|1|0.09",
        "per_hour: 3.6, basis: allocated|PT100S|0.25|0.1",
        "per_hour: 3.6, basis: active|PT100S|0.25|0.025",
        "per_hour: 3.6, basis: active, granularity: 10s|PT100S|0.25|0.03",
        "per_hour: 3.6, basis: active, minimum: 5s|PT100S|0|0.005",
        "per_hour: 3.6, basis: active|PT3S|0.1|0.001",
        "per_hour: 0.1|PT1S|1|0.00002778",
        "per_hour: 0.000018|PT1S|1|0.00000001",
      })
  void theListsArithmetic(String terms, Duration duration, double share, BigDecimal amount)
      throws IOException {
    home.write("x.yaml", "currency: USD\nhosts: [{host: n1, " + terms + "}]\n");
    Priced quote = priced(quotes().of(OWN, query(duration, share, null)));
    assertThat(quote.asked().amount()).isEqualByComparingTo(amount);
    assertThat(quote.compared()).isEqualTo(new Money(quote.asked().amount(), "USD"));
    assertThat(quote.source()).isEqualTo("x.yaml:2");
    assertThat(quote.validUntil()).isEqualTo(Instant.MAX);
  }

  @Test
  void theNarrowerPriceCounts() throws IOException {
    home.write(
        "x.yaml",
        """
        currency: USD
        hosts:
          - {host: n1, per_hour: 1}
          - {host: n1, extension: ext.cloud, per_hour: 2}
        providers:
          - {extension: ext.cloud, per_hour: 3}
          - {extension: ext.cloud, region: eu, per_hour: 4, basis: active, minimum: 2m}
        """);
    Quotes quotes = quotes();
    assertThat(priced(quotes.of(OWN, hour())).asked().amount()).isEqualByComparingTo("1");
    assertThat(priced(quotes.of(CLOUD, hour())).asked().amount()).isEqualByComparingTo("2");
    Quotes.Place elsewhere = place("ext.cloud", "n2");
    assertThat(priced(quotes.of(elsewhere, hour())).source()).isEqualTo("x.yaml:6");
    Priced eu = priced(quotes.of(elsewhere, query(Duration.ofHours(1), 1, "eu")));
    assertThat(eu.asked())
        .isEqualTo(
            new MeterQuote(
                new BigDecimal("4.00000000"),
                "USD",
                PricingModel.ACTIVE,
                Duration.ofMinutes(2),
                Duration.ofSeconds(1),
                Instant.MAX));
  }

  @Test
  void onlyASelfHostedBackendWithoutAListIsFree() throws IOException {
    answers("0 USD FREE 2026-12-01T00:00:00Z");
    Quotes quotes = quotes();
    Priced own = priced(quotes.of(OWN, hour()));
    assertThat(own.asked()).isEqualTo(MeterQuote.free());
    assertThat(own.source()).isEqualTo("ext.own");
    assertThat(reason(quotes.of(CLOUD, hour()))).contains("ext.cloud", "names no price");
    assertThat(reason(quotes.of(place("ext.none", "n1"), hour()))).contains("not loaded");
  }

  @Test
  void ratesCountFromTheirDateOn() throws IOException {
    home = new PricingHome(folder, "EUR");
    home.write(
        "x.yaml",
        """
        currency: USD
        hosts: [{host: n1, per_hour: 1}]
        rates:
          - {from: USD, to: EUR, date: 2026-11-25, rate: 0.92}
          - {from: USD, to: EUR, date: 2026-01-01, rate: 0.9}
        """);
    Quotes quotes = quotes();
    home.itIs("2026-11-24T23:59:59.999Z");
    Priced before = priced(quotes.of(OWN, hour()));
    assertThat(before.compared()).isEqualTo(new Money(new BigDecimal("0.90000000"), "EUR"));
    assertThat(before.asked().currency()).isEqualTo("USD");
    assertThat(before.validUntil()).isEqualTo(Instant.parse("2026-11-25T00:00:00Z"));
    home.itIs("2026-11-25T00:00:00Z");
    assertThat(priced(quotes.of(OWN, hour())).compared().text()).isEqualTo("0.92");
  }

  @Test
  void aRateServesTheOtherDirectionToo() throws IOException {
    home.write(
        "x.yaml",
        """
        currency: EUR
        hosts: [{host: n1, per_hour: 1}]
        rates: [{from: USD, to: EUR, date: 2026-01-01, rate: 0.9}]
        """);
    assertThat(priced(quotes().of(OWN, hour())).compared().text()).isEqualTo("1.11111111");
  }

  @Test
  void anAnswerIsKeptUntilItIsNoLongerValid() throws IOException {
    answers("0.25 USD ALLOCATED 2026-11-24T12:10:00Z");
    Quotes quotes = quotes();
    Priced first = priced(quotes.of(CLOUD, hour()));
    assertThat(first.asked().amount()).isEqualByComparingTo("0.25");
    assertThat(first.source()).isEqualTo("ext.cloud");
    assertThat(first.validUntil()).isEqualTo(Instant.parse("2026-11-24T12:10:00Z"));
    answers("0.75 USD ALLOCATED 2026-11-24T13:00:00Z");
    home.itIs("2026-11-24T12:09:59Z");
    assertThat(quotes.of(CLOUD, hour())).isEqualTo(first);
    assertThat(asked()).isEqualTo(1);
    assertThat(priced(quotes.of(CLOUD, query(Duration.ofHours(2), 1, null))).asked().amount())
        .as("another duration is another question")
        .isEqualByComparingTo("0.75");
    home.itIs("2026-11-24T12:10:00Z");
    assertThat(priced(quotes.of(CLOUD, hour())).asked().amount()).isEqualByComparingTo("0.75");
    assertThat(asked()).isEqualTo(3);
  }

  @Test
  void callersAtTheSameTimeShareOneCall() throws Exception {
    answers("0.25 USD ALLOCATED 2026-11-24T12:10:00Z");
    Path gate = Files.createFile(home.state("cloud").resolve("gate"));
    Quotes quotes = quotes();
    ConcurrentLinkedQueue<Quote> got = new ConcurrentLinkedQueue<>();
    List<Thread> callers =
        Stream.generate(() -> Thread.ofPlatform().start(() -> got.add(quotes.of(CLOUD, hour()))))
            .limit(8)
            .toList();
    await().until(() -> callers.stream().allMatch(c -> c.getState() == Thread.State.WAITING));
    Files.delete(gate);
    for (Thread caller : callers) {
      caller.join();
    }
    assertThat(got).hasSize(8).allMatch(Priced.class::isInstance);
    assertThat(asked()).isEqualTo(1);
  }

  @Test
  void whoCanNotSayIsUnknownAndAskedAgainSoon() throws IOException {
    answers("down");
    Quotes quotes = quotes();
    assertThat(reason(quotes.of(CLOUD, hour())))
        .contains("ext.cloud gives no price", "its price service is down");
    answers("0.25 USD ALLOCATED 2026-11-24T13:00:00Z");
    assertThat(quotes.of(CLOUD, hour())).isInstanceOf(Unknown.class);
    assertThat(asked()).isEqualTo(1);
    home.itIs("2026-11-24T12:00:05Z");
    assertThat(quotes.of(CLOUD, hour())).isInstanceOf(Priced.class);
  }

  @Test
  void whoDoesNotAnswerIsGivenUp() throws IOException {
    answers("0.25 USD ALLOCATED 2026-11-24T13:00:00Z");
    Files.createFile(home.state("cloud").resolve("gate"));
    List<Quote> each = quotes().each(List.of(CLOUD, OWN), hour());
    assertThat(reason(each.getFirst())).contains("ext.cloud gives no price");
    assertThat(each.getLast()).isInstanceOf(Priced.class);
  }

  @Test
  void aCurrencyWithoutARateIsUnknown() throws IOException {
    answers("0.25 EUR ALLOCATED 2026-11-24T13:00:00Z");
    assertThat(reason(quotes().of(CLOUD, hour()))).contains("no rate from EUR to USD");
    home = new PricingHome(folder, "EUR");
    assertThat(quotes().of(CLOUD, hour())).isInstanceOf(Priced.class);
    answers("0.25 ABC ALLOCATED 2026-11-24T13:00:00Z");
    assertThat(reason(quotes().of(CLOUD, hour()))).contains("unknown currency 'ABC'");
  }

  @Test
  void anEndedPriceNeitherCountsNorIsFree() throws IOException {
    home.write("x.yaml", "currency: USD\nhosts: [{host: n1, per_hour: 1, until: 2026-11-25}]\n");
    PriceLists lists = home.lists();
    Quotes quotes = home.quotes(lists);
    assertThat(priced(quotes.of(OWN, hour())).validUntil())
        .isEqualTo(Instant.parse("2026-11-25T00:00:00Z"));
    home.itIs("2026-11-25T00:00:00Z");
    assertThat(reason(quotes.of(OWN, hour()))).isEqualTo("no price of host n1 holds now");
    assertThat(lists.findings()).allMatch(Finding::ok);
    lists.readChanges();
    lists.readChanges();
    assertThat(lists.findings().getFirst().detail()).contains("the price of host n1 has ended");
    assertThat(quotes.of(OWN, hour())).isInstanceOf(Unknown.class);
  }

  @Test
  void aRefusedFileKeepsItsLastGoodVersion() throws IOException {
    home.write("x.yaml", "currency: USD\nhosts: [{host: n1, per_hour: 1}]\n");
    PriceLists lists = home.lists();
    Quotes quotes = home.quotes(lists);
    home.write("x.yaml", "currency: USD\nhosts: [{host: n1, per_hour: -2}]\n");
    lists.readChanges();
    lists.readChanges();
    assertThat(lists.findings().getFirst().detail())
        .contains("its last good version stays in force: x.yaml:2: hosts[0].per_hour:");
    assertThat(priced(quotes.of(OWN, hour())).asked().amount()).isEqualByComparingTo("1");
    home.write("x.yaml", "currency: USD\nhosts: [{host: n1, per_hour: 3}]\n");
    lists.readChanges();
    lists.readChanges();
    assertThat(priced(quotes.of(OWN, hour())).asked().amount()).isEqualByComparingTo("3");
  }

  @Test
  void aFileThatWasNeverRightMakesNothingFree() throws IOException {
    home.write("x.yaml", "currency: USD\nhosts: [{host: n1, per_hour: -2}]\n");
    assertThat(reason(quotes().of(OWN, hour()))).contains("x.yaml is refused");
  }

  @Test
  void aLimitIsComparedInItsOwnCurrencyOrConverted() throws IOException {
    home.write(
        "x.yaml",
        """
        currency: EUR
        hosts: [{host: n1, per_hour: 1}]
        rates: [{from: EUR, to: USD, date: 2026-01-01, rate: 1.1}]
        """);
    Quotes quotes = quotes();
    Quote quote = quotes.of(OWN, hour());
    assertThat(quotes.exceeds(quote, Money.of("1", "EUR"))).isEmpty();
    assertThat(quotes.exceeds(quote, Money.of("0.99", "EUR")))
        .contains("it costs 1.00 EUR, more than 0.99 EUR");
    assertThat(quotes.exceeds(quote, Money.of("1.10", "USD"))).isEmpty();
    assertThat(quotes.exceeds(quote, Money.of("1.09", "USD")))
        .contains("it costs 1.10 USD, more than 1.09 USD");
    assertThat(quotes.exceeds(quote, Money.of("500", "JPY")).orElseThrow())
        .contains("no rate from JPY to USD");
    assertThat(quotes.exceeds(quotes.of(place("ext.own", "n2"), hour()), Money.of("0", "JPY")))
        .as("what is free is within every limit")
        .isEmpty();
    assertThat(quotes.exceeds(new Unknown("x"), Money.of("1", "USD")))
        .contains("its price is not known: x");
  }

  @Test
  void moneyIsADecimalText() throws IOException {
    ObjectMapper json = new ObjectMapper();
    assertThat(json.writeValueAsString(Money.of("0.5", "EUR")))
        .isEqualTo("{\"amount\":\"0.50\",\"currency\":\"EUR\"}");
    assertThat(json.readValue("{\"amount\":\"0.50\",\"currency\":\"EUR\"}", Money.class))
        .isEqualTo(Money.of("0.50", "EUR"));
    assertThat(Money.of("0.00000012", "USD").text()).isEqualTo("0.00000012");
    assertThat(Money.of("1200", "JPY").text()).isEqualTo("1200");
    for (String wrong : List.of("-1", "1e3", "", "1,5", " 1", "0x1", "1.")) {
      assertThatThrownBy(() -> Money.of(wrong, "EUR"))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> Money.of("1", "EURO")).hasMessageContaining("unknown currency");
  }
}
