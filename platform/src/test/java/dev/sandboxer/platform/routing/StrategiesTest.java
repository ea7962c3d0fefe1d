package dev.sandboxer.platform.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.routing.Option;
import dev.sandboxer.spi.routing.RoutingStrategy;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The strategies of the platform, and one that comes as a jar. */
class StrategiesTest {

  @TempDir Path folder;

  private void jar(String name, String score) throws IOException {
    Path source = Files.createDirectories(folder.resolve("src-" + name)).resolve("Mine.java");
    Files.writeString(
        source,
        """
        import dev.sandboxer.spi.routing.*;
        public final class Mine implements RoutingStrategy {
          public String name() { return "%s"; }
          public Score score(Option option) { return %s; }
        }
        """
            .formatted(name, score));
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", System.getProperty("java.class.path"), source.toString());
    assertThat(failed).isZero();
    Path home = Files.createDirectories(folder.resolve("home/strategies/" + name));
    try (OutputStream file = Files.newOutputStream(home.resolve("mine.jar"));
        JarOutputStream jar = new JarOutputStream(file)) {
      jar.putNextEntry(new JarEntry("Mine.class"));
      jar.write(Files.readAllBytes(source.resolveSibling("Mine.class")));
      jar.putNextEntry(new JarEntry("META-INF/services/" + RoutingStrategy.class.getName()));
      jar.write("Mine".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
  }

  private static Option option(
      Hosting hosting,
      int position,
      @Nullable String price,
      @Nullable Integer readyMillis,
      int distance) {
    return new Option(
        "ext.a",
        hosting,
        "h",
        null,
        Map.of(),
        position,
        0,
        Optional.ofNullable(price).map(BigDecimal::new),
        Optional.ofNullable(readyMillis).map(Duration::ofMillis),
        distance);
  }

  private double score(String strategy, Option option) {
    return SomeStrategies.in(folder).find(strategy).orElseThrow().score(option).value();
  }

  @Test
  void selfHostedComesBeforeAProviders() {
    assertThat(score("prefer-self-hosted", option(Hosting.SELF_HOSTED, 5, null, null, 2)))
        .isLessThan(score("prefer-self-hosted", option(Hosting.SAAS, 0, null, null, 0)));
  }

  @Test
  void theCheapestComesFirstAndWhatHasNoPriceLast() {
    double cheap = score("lowest-cost", option(Hosting.SAAS, 1, "0.10", null, 0));
    double dear = score("lowest-cost", option(Hosting.SELF_HOSTED, 0, "0.20", null, 0));
    double unknown = score("lowest-cost", option(Hosting.SELF_HOSTED, 0, null, null, 0));
    assertThat(List.of(cheap, dear, unknown)).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void theFastestComesFirstAndBeforeItIsMeasuredTheNearest() {
    double near = score("lowest-latency", option(Hosting.SAAS, 0, null, null, 0));
    double fast = score("lowest-latency", option(Hosting.SAAS, 0, null, 50, 2));
    double nextRegion = score("lowest-latency", option(Hosting.SAAS, 0, null, null, 1));
    double slow = score("lowest-latency", option(Hosting.SAAS, 0, null, 900, 0));
    assertThat(List.of(near, fast, nextRegion, slow)).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aFewCreatesSayNothingYetAndLaterOnesCountMore() {
    Latencies latencies = new Latencies();
    var extension = new dev.sandboxer.platform.sandbox.ExtensionId("ext.a");
    for (int i = 1; i < Latencies.LEAST_SAMPLES; i++) {
      latencies.ready(extension, "h", Duration.ofMillis(100));
      assertThat(latencies.of(extension, "h")).isEmpty();
    }
    latencies.ready(extension, "h", Duration.ofMillis(100));
    assertThat(latencies.of(extension, "h")).contains(Duration.ofMillis(100));
    latencies.ready(extension, "h", Duration.ofMillis(600));
    assertThat(latencies.of(extension, "h")).contains(Duration.ofMillis(200));
    assertThat(latencies.of(extension, "other")).isEmpty();
  }

  @Test
  void aJarAddsOne() throws IOException {
    jar("mine", "new Score(-option.load(), \"the fullest\")");
    assertThat(SomeStrategies.in(folder).names())
        .containsExactly("explicit", "lowest-cost", "lowest-latency", "mine", "prefer-self-hosted");
    assertThat(score("mine", option(Hosting.SAAS, 0, null, null, 0))).isZero();
  }

  @Test
  void aJarThatTakesAKnownNameIsReportedAndChangesNothing() throws IOException {
    jar("explicit", "new Score(7, \"mine\")");
    Strategies strategies = SomeStrategies.in(folder);
    assertThat(strategies.failed().get("explicit")).contains("none of");
    assertThat(score("explicit", option(Hosting.SAAS, 3, null, null, 0))).isEqualTo(3);
  }
}
