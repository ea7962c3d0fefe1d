package dev.sandboxer.testing.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of the reports of a run. */
class MainTest {

  private static final Instant BEGAN = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir private Path top;

  @Test
  void theSlowestClassComesFirst() throws IOException {
    suite("one", "Quick", "1.5", "<testcase name='a'/>");
    suite("two", "Slow", "1,234.5", "<testcase name='a'/><testcase name='b'/>");
    assertThat(said())
        .contains("the slowest of 2 classes with 3 tests", "1234.5 s     2 tests  Slow")
        .containsSubsequence("Slow", "Quick")
        .doesNotContain("FLAKY", "FAILED");
  }

  @Test
  void whatPassesWhenItRunsAgainIsFlakyAndSaysHowItFailedFirst() throws IOException {
    suite(
        "one",
        "Shaky",
        "1",
        """
        <testcase name='first'>
          <flakyFailure message='expected: 1&#10; but was: 2' type='Error'><stackTrace>long</stackTrace></flakyFailure>
          <flakyError message='another' type='Error'><stackTrace>long</stackTrace></flakyError>
        </testcase>
        <testcase name='good'/>""");
    assertThat(said())
        .contains("FLAKY", "Shaky.first", "expected: 1 but was: 2", "TEST-Shaky.xml")
        .doesNotContain("FAILED", "another", "Shaky.good");
  }

  @Test
  void whatFailsEachTimeFailed() throws IOException {
    suite(
        "one",
        "Broken",
        "1",
        """
        <testcase name='first'>
          <failure message='&#10;&#10;no&#10;way' type='Error'>long</failure>
          <rerunFailure message='again' type='Error'><stackTrace>long</stackTrace></rerunFailure>
        </testcase>""");
    assertThat(said()).contains("FAILED", "Broken.first", "    no way\n").doesNotContain("FLAKY");
  }

  /** gotestsum reports a test as often as it ran, and what it printed as the failure's text. */
  @Test
  void goTestsThatPassTheSecondTimeAreFlaky() throws IOException {
    suite(
        "one",
        "go",
        "1",
        """
        <testcase name='TestA'><failure message='Failed'>=== RUN TestA
            a_test.go:1: no</failure></testcase>
        <testcase name='TestA'/>""");
    assertThat(said()).contains("FLAKY", "go.TestA", "a_test.go:1: no").doesNotContain("FAILED");
  }

  @Test
  void halfAReportIsAFailure() throws IOException {
    Files.writeString(report("one", "Ended"), "<testsuite name='Ended'><testcase name='a'/>");
    assertThat(said()).contains("FAILED", "TEST-Ended.xml", "half a report");
  }

  @Test
  void reportsOfEarlierRunsAreNoneOfThisOne() throws IOException {
    Path file = suite("one", "Old", "1", "<testcase name='a'><failure message='no'/></testcase>");
    Files.setLastModifiedTime(file, FileTime.from(BEGAN.minusSeconds(1)));
    assertThat(said()).contains("0 classes").doesNotContain("Old");
  }

  private Path suite(String module, String name, String seconds, String cases) throws IOException {
    return Files.writeString(
        report(module, name),
        "<testsuite name='%s' time='%s'>%s</testsuite>".formatted(name, seconds, cases));
  }

  private Path report(String module, String name) throws IOException {
    Path folder = Files.createDirectories(top.resolve(module + "/target/surefire-reports"));
    return folder.resolve("TEST-" + name + ".xml");
  }

  private String said() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new Main(top, FileTime.from(BEGAN), new PrintStream(bytes, true, UTF_8)).print();
    return bytes.toString(UTF_8);
  }
}
