package dev.sandboxer.platform.pricing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.health.Finding;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A price list is read while it is right, and refused as a whole with the place of each mistake.
 */
class PriceListsTest {

  private static final String HEAD = "currency: USD\nhosts:\n  - {host: a, per_hour: 1}\n";

  @TempDir Path folder;
  private PricingHome home;

  @BeforeEach
  void home() {
    home = new PricingHome(folder, "USD");
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        Arguments.of("", "1: ", "the file is empty"),
        Arguments.of("currency: USD\n", "1: ", "it has no prices"),
        Arguments.of("hosts: []\n", "1: ", "'currency' is missing"),
        Arguments.of("currency: [x\n", "2: ", "expected"),
        Arguments.of("currency: EURO\nhosts: []\n", "1: currency: ", "unknown currency 'EURO'"),
        Arguments.of("currency: usd\nhosts: []\n", "1: currency: ", "unknown currency 'usd'"),
        Arguments.of("curency: USD\nrates: []\n", "1: curency: ", "did you mean 'currency'?"),
        Arguments.of(host("per_hour: -0.1"), "4: hosts[1].per_hour: ", "must not be negative"),
        Arguments.of(
            host("per_vcpu_hour: \"-1\""), "4: hosts[1].per_vcpu_hour: ", "must not be negative"),
        Arguments.of(host("per_hour: 1, per_gib_hour: -1"), "4: hosts[1].per_gib_hour: ", "not be"),
        Arguments.of(host("per_hour: free"), "4: hosts[1].per_hour: ", "must be a decimal number"),
        Arguments.of(host("per_hour: 1e3"), "4: hosts[1].per_hour: ", "must be a decimal number"),
        Arguments.of(host("per_hour: "), "4: hosts[1].per_hour: ", "must be a text"),
        Arguments.of(host("from: 2026-01-01"), "4: hosts[1]: ", "the price is missing"),
        Arguments.of(HEAD + "  - {per_hour: 1}\n", "4: hosts[1]: ", "'host' is missing"),
        Arguments.of(HEAD + "  - {host: a b, per_hour: 1}\n", "4: hosts[1].host: ", "a name"),
        Arguments.of(HEAD + "  - 5\n", "4: hosts[1]: ", "must be a mapping"),
        Arguments.of(HEAD + "providers: {}\n", "4: providers: ", "must be a list"),
        Arguments.of(host("per_hour: 1, from: soon"), "4: hosts[1].from: ", "must be a date"),
        Arguments.of(host("per_hour: 1, until: 2026-02-30"), "4: hosts[1].until: ", "a date"),
        Arguments.of(
            host("per_hour: 1, from: 2027-01-01, until: 2027-01-01"),
            "4: hosts[1].until: ",
            "must be after 'from'"),
        Arguments.of(
            host("per_hour: 1, until: 2026-11-24"), "4: hosts[1].until: ", "host b has ended"),
        Arguments.of(host("per_hour: 1, minimum: 5"), "4: hosts[1].minimum: ", "with a unit"),
        Arguments.of(
            host("per_hour: 1, granularity: 0s"), "4: hosts[1].granularity: ", "at least 1s"),
        Arguments.of(host("per_hour: 1, basis: used"), "4: hosts[1].basis: ", "or active"),
        Arguments.of(host("per_hour: 1, region: eu"), "4: hosts[1].region: ", "unknown key"),
        Arguments.of(host("per_huor: 1"), "4: hosts[1].per_huor: ", "did you mean 'per_hour'?"),
        Arguments.of(host("per_hour: 1, extension: x"), "4: hosts[1].extension: ", "ext.<name>"),
        Arguments.of(
            HEAD + "providers:\n  - {per_hour: 1}\n",
            "5: providers[0]: ",
            "'extension' is missing"),
        Arguments.of(
            HEAD + "  - {host: a, per_hour: 2, from: 2027-01-01}\n",
            "4: hosts[1].from: ",
            "it overlaps the price of host a at x.yaml:3"),
        Arguments.of(
            """
            currency: USD
            providers:
              - {extension: ext.e, region: eu, per_hour: 1, until: 2027-01-02}
              - {extension: ext.e, region: us, per_hour: 1}
              - {extension: ext.e, region: eu, per_hour: 2, from: 2027-01-01}
            """,
            "5: providers[2].from: ",
            "overlaps the price of ext.e in eu at x.yaml:3"),
        Arguments.of(
            "currency: EUR\nhosts: [{host: a, per_hour: 1}]\n",
            "1: currency: ",
            "there is no rate from EUR to USD"),
        Arguments.of(
            rate("from: EUR, to: USD, date: 2026-01-01, rate: 0"), "2: rates[0].rate: ", "above 0"),
        Arguments.of(
            rate("from: EUR, to: USD, date: 2026-01-01, rate: -1"),
            "2: rates[0].rate: ",
            "negative"),
        Arguments.of(
            rate("from: EUR, to: USD, date: 2026-01-01"), "2: rates[0]: ", "'rate' is missing"),
        Arguments.of(
            rate("from: EUR, to: USD, date: today, rate: 1"), "2: rates[0].date: ", "a date"),
        Arguments.of(
            rate("from: XYZ, to: USD, date: 2026-01-01, rate: 1"),
            "2: rates[0].from: ",
            "unknown currency 'XYZ'"),
        Arguments.of(
            rate("from: EUR, to: EUR, date: 2026-01-01, rate: 1"),
            "2: rates[0].to: ",
            "that is converted"),
        Arguments.of(
            rate("from: EUR, to: USD, date: 2026-01-01, rate: 1")
                + "  - {from: EUR, to: USD, date: 2026-01-01, rate: 2}\n",
            "3: rates[1].date: ",
            "another rate of that day"));
  }

  private static String host(String terms) {
    return HEAD + "  - {host: b, " + terms + "}\n";
  }

  private static String rate(String terms) {
    return "rates:\n  - {" + terms + "}\n";
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void aMistakeIsReportedWithItsPlace(String text, String place, String message)
      throws IOException {
    home.write("x.yaml", text);
    Finding finding = home.lists().findings().getFirst();
    assertThat(finding.ok()).isFalse();
    assertThat(finding.name()).isEqualTo("prices/x.yaml");
    assertThat(finding.detail())
        .contains("none of its prices is in force: x.yaml:" + place, message);
  }

  @Test
  void allMistakesOfAFileAreReportedAtOnce() throws IOException {
    home.write(
        "x.yaml",
        """
        currency: USD
        hosts:
          - {host: a, per_hour: -1, minimum: x}
          - {hots: b, per_hour: 1}
          - {host: c, per_hour: 1, until: 2026-11-24}
          - {host: d, per_hour: 1}
          - {host: d, per_hour: 1}
        """);
    assertThat(home.lists().findings().getFirst().detail())
        .contains("x.yaml:3: hosts[0].per_hour:", "x.yaml:3: hosts[0].minimum:")
        .contains("x.yaml:4: hosts[1].hots:", "x.yaml:4: hosts[1]: 'host' is missing")
        .contains("x.yaml:5: hosts[2].until: the price of host c has ended")
        .contains("x.yaml:7: hosts[4]: it overlaps the price of host d at x.yaml:6");
  }

  @Test
  void aMissingRateIsReportedOnceAFile() throws IOException {
    home.write(
        "x.yaml", "currency: EUR\nhosts: [{host: a, per_hour: 1}, {host: b, per_hour: 1}]\n");
    assertThat(home.lists().findings().getFirst().detail()).containsOnlyOnce("there is no rate");
    home.write("x.yaml", "currency: EURO\nhosts: [{host: a, per_hour: 1}]\n");
    assertThat(home.lists().findings().getFirst().detail())
        .contains("unknown currency")
        .doesNotContain("there is no rate");
  }

  @Test
  void withoutFilesThereIsNothingToSay() {
    assertThat(home.lists().findings()).isEmpty();
  }

  @Test
  void everythingARightFileMaySay() throws IOException {
    home.write(
        "x.yaml",
        """
        currency: EUR
        hosts:
          - {host: a, from: 2026-01-01, until: 2027-01-01, per_hour: "0.10", per_vcpu_hour: 0.02}
          - {host: a, from: 2027-01-01, per_gib_hour: 0.004}
          - {host: a, extension: ext.docker, per_hour: 0}
        providers:
          - {extension: ext.e, per_vcpu_hour: 0.05, basis: active, minimum: 1m, granularity: 5s}
          - {extension: ext.e, region: eu, per_hour: 1, basis: allocated}
        rates:
          - {from: EUR, to: USD, date: 2026-01-01, rate: 1.08}
        """);
    assertThat(home.lists().findings())
        .containsExactly(new Finding("prices/x.yaml", true, "5 prices, 1 rates"));
  }

  @Test
  void theSamePlaceInTwoFilesIsRefusedInTheSecond() throws IOException {
    home.write("a.yaml", HEAD);
    home.write("b.yaml", "currency: USD\nhosts: [{host: a, per_hour: 2}]\n");
    List<Finding> findings = home.lists().findings();
    assertThat(findings.getFirst().ok()).isTrue();
    assertThat(findings.getLast().detail())
        .contains("b.yaml:2: hosts[0]: it overlaps the price of host a at a.yaml:3");
  }

  @Test
  void ratesOfOneFileCountForAll() throws IOException {
    home.write("prices.yaml", "currency: EUR\nhosts: [{host: a, per_hour: 2}]\n");
    home.write("rates.yaml", rate("from: EUR, to: USD, date: 2026-11-24, rate: 1.1"));
    assertThat(home.lists().findings()).allMatch(Finding::ok);
    home.write("rates.yaml", rate("from: EUR, to: USD, date: 2026-11-25, rate: 1.1"));
    assertThat(home.lists().findings().getFirst().detail()).contains("no rate from EUR to USD");
  }

  @Test
  void whatEndedAndIsFollowedIsThePast() throws IOException {
    home.write(
        "x.yaml",
        """
        currency: USD
        hosts:
          - {host: a, until: 2026-06-01, per_hour: 1}
          - {host: a, from: 2026-06-01, per_hour: 2}
        """);
    assertThat(home.lists().findings()).allMatch(Finding::ok);
  }

  @Test
  void aChangedFileIsReadOnceItIsLeftAlone() throws IOException {
    home.write("x.yaml", HEAD);
    PriceLists lists = home.lists();
    home.write("x.yaml", host("per_hour: 1"));
    lists.readChanges();
    assertThat(lists.findings().getFirst().detail()).isEqualTo("1 prices, 0 rates");
    lists.readChanges();
    assertThat(lists.findings().getFirst().detail()).isEqualTo("2 prices, 0 rates");
    home.delete("x.yaml");
    lists.readChanges();
    lists.readChanges();
    assertThat(lists.findings()).isEmpty();
  }

  @Test
  void aFileThatIsNoTextIsRefused() throws IOException {
    home.write("x.yaml", HEAD);
    java.nio.file.Files.write(folder.resolve("home/prices/x.yaml"), new byte[] {(byte) 0xff, 1});
    home.write("y.yaml", "#".repeat(300_000));
    assertThat(home.lists().findings())
        .extracting(Finding::detail)
        .satisfiesExactly(
            first -> assertThat(first).contains("x.yaml:1: the file is no text in UTF-8"),
            second -> assertThat(second).contains("y.yaml:1: the file is longer than"));
  }
}
