package dev.sandboxer.platform.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.platform.testing.LogLines;
import dev.sandboxer.testing.FreePort;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Collector;
import dev.sandboxer.testing.client.Trace;
import io.opentelemetry.proto.trace.v1.Span;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a request caused can be followed in traces, and is summed up in metrics. */
@QuarkusTest
@TestProfile(TracingTest.Profile.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TracingTest {

  private static final String ENDPOINT = "SANDBOXER_OTLP_ENDPOINT";
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";
  private static final String DELETE = "DELETE /v1/sandboxes/{id}";
  private static final String SECRET = "hunter2hunter2";
  private static final String DROPPED = "traces are dropped";

  private final Api api = InProcess.api();
  private Collector collector;

  @BeforeAll
  void start() {
    String endpoint = ConfigProvider.getConfig().getValue(ENDPOINT, String.class);
    collector = Collector.at(URI.create(endpoint).getPort());
  }

  @AfterAll
  void stop() {
    collector.close();
  }

  @Test
  void oneTraceFromTheRequestToBoxd() {
    // Not sampled: the caller decides nothing but the parent.
    String parent = "00-" + TRACE + "-" + SPAN + "-00";
    String sandbox = create(parent, "req_traced");
    Api.Dataplane dataplane = api.access(sandbox);
    String body = "{\"command\": [\"echo\", \"" + SECRET + "\"]}";
    assertThat(
            dataplane.api().post(dataplane.url() + "/exec", body, "traceparent", parent).status())
        .isEqualTo(200);
    Trace trace =
        collector.await(
            TRACE,
            "POST /v1/sandboxes",
            "sandbox.route",
            "sandbox.create",
            "POST /dp/{sandbox}/v1/exec",
            "relay");
    assertThat(trace.path("extension provision"))
        .containsExactly(
            "extension provision", "sandbox.provision", "sandbox.create", "POST /v1/sandboxes");
    assertThat(trace.path("extension waitReady"))
        .containsExactly(
            "extension waitReady", "sandbox.wait_ready", "sandbox.create", "POST /v1/sandboxes");
    assertThat(trace.path("sandbox.configure"))
        .containsExactly("sandbox.configure", "sandbox.create", "POST /v1/sandboxes");
    assertThat(trace.path("sandbox.route")).containsExactly("sandbox.route", "POST /v1/sandboxes");
    assertThat(trace.path("relay")).containsExactly("relay", "POST /dp/{sandbox}/v1/exec");
    for (String root : List.of("POST /v1/sandboxes", "POST /dp/{sandbox}/v1/exec")) {
      assertThat(Trace.hex(trace.span(root).getParentSpanId())).isEqualTo(SPAN);
      assertThat(trace.span(root).getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_SERVER);
    }
    assertThat(Trace.facts(trace.span("extension provision")))
        .containsEntry("sandboxer.extension.id", "ext.process")
        .containsEntry("sandboxer.attempt", "1")
        .containsEntry("sandboxer.outcome", "ok")
        .containsKey("sandboxer.host.id");
    assertThat(Trace.facts(trace.span("relay"))).containsEntry("http.response.status_code", "200");
    assertThat(Trace.facts(trace.span("POST /v1/sandboxes")))
        .containsEntry("sandboxer.request.id", "req_traced");
    assertThat(collector.spans().toString())
        .doesNotContain(SECRET)
        .doesNotContain(api.key())
        .doesNotContain(dataplane.api().key());
  }

  @Test
  void aDeleteIsFollowedToTheBackend() {
    String trace = "5af7651916cd43dd8448eb211c80319c";
    String sandbox = create("", "req_made");
    assertThat(delete(sandbox, trace, "Prefer", "wait=30").status()).isEqualTo(200);
    Trace all = collector.await(trace, DELETE, "sandbox.delete", "sandbox.clean_up");
    assertThat(all.path("sandbox.delete")).containsExactly("sandbox.delete", DELETE);
    assertThat(all.path("extension teardown"))
        .containsExactly("extension teardown", "sandbox.clean_up", DELETE);
    assertThat(Trace.facts(all.span("extension teardown")))
        .containsEntry("sandboxer.extension.id", "ext.process")
        .containsEntry("sandboxer.attempt", "1")
        .containsEntry("sandboxer.outcome", "ok")
        .containsKey("sandboxer.host.id");
    assertThat(Trace.facts(all.span("sandbox.clean_up")))
        .containsEntry("sandboxer.sandbox.id", sandbox)
        .containsEntry("sandboxer.try", "1")
        .containsEntry("sandboxer.left", "0");
  }

  @Test
  void anEndThatNobodyAskedForIsInNobodysTrace() {
    Api.Reply made =
        api.post("/v1/sandboxes", Api.create("local").replaceFirst("\\{", "{\"ttl_seconds\": 1, "));
    String sandbox = made.field("/id");
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + sandbox).field("/state").equals("destroyed"));
    String later = "7af7651916cd43dd8448eb211c80319c";
    assertThat(delete(create("", "req_later"), later, "Prefer", "wait=30").status()).isEqualTo(200);
    var _ = collector.await(later, "sandbox.clean_up");
    assertThat(collector.spans())
        .filteredOn(span -> sandbox.equals(Trace.facts(span).get("sandboxer.sandbox.id")))
        .extracting(Span::getName)
        .contains("sandbox.create")
        .doesNotContain("sandbox.delete", "sandbox.clean_up");
    // A parent ends, and comes, after its child.
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(named("extension teardown"))
                    .as("none in the trace of whose thread did it")
                    .extracting(Span::getParentSpanId)
                    .isSubsetOf(named("sandbox.clean_up").stream().map(Span::getSpanId).toList()));
  }

  private List<Span> named(String name) {
    return collector.spans().stream().filter(span -> span.getName().equals(name)).toList();
  }

  @Test
  void aReceiverThatIsDownStopsNothingAndIsNamedOnce() {
    awaitWhileTracing(() -> !collector.spans().isEmpty());
    int port = collector.port();
    collector.close();
    try (LogLines log = LogLines.follow()) {
      String sandbox = create("00-2af7651916cd43dd8448eb211c80319c-" + SPAN + "-01", "req_down");
      await().atMost(PATIENCE).until(() -> !log.with(DROPPED).isEmpty());
      assertThat(api.access(sandbox).exec("true").status()).isEqualTo(200);
      for (int status : new int[] {0, 503}) {
        try (Collector refusing = Collector.answering(port, status)) {
          awaitWhileTracing(() -> refusing.refused() >= 3);
        }
      }
      collector = Collector.at(port);
      awaitWhileTracing(() -> log.with("traces are taken again").size() == 1);
      assertThat(log.with(DROPPED)).hasSize(1);
      assertThat(log.with("io.opentelemetry.exporter.internal.http")).isEmpty();
    }
  }

  /** Each look is a request, and each request a span to send. */
  private void awaitWhileTracing(BooleanSupplier condition) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              var _ = api.get("/v1/profiles");
              return condition.getAsBoolean();
            });
  }

  @Test
  void metricsAreNamedByTheConventionsAndInTheTable() throws IOException {
    String sandbox = create("", "req_metrics");
    assertThat(api.access(sandbox).exec("true").status()).isEqualTo(200);
    String guide = Files.readString(Path.of("..", "docs/operations.md"));
    Set<String> documented = matches(guide, "^\\| `(sandboxer_[a-z_]+)` \\|");
    await() // some are there once they were read for the first time
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(familiesOf(MetricsPage.of(metrics()))).isEqualTo(documented));
    String text = metrics();
    assertThat(text).doesNotContain(sandbox).doesNotContain(sandbox.substring(3));
    MetricsPage page = MetricsPage.of(text);
    assertThat(page.problems()).isEmpty();
    assertThat(page.type("process_cpu_seconds_total")).isEqualTo("counter");
    assertThat(page.families("")).contains("jvm_memory_used_bytes", "http_server_requests_seconds");
    assertThat(page.labels(""))
        .allSatisfy(
            label ->
                assertThat(label)
                    .doesNotMatch(".*(sandbox|tenant|request|trace|session|user|key).*"));
    assertThat(page.labels("sandboxer_"))
        .isSubsetOf("status", "direction", "extension", "call", "result", "sink", "store", "host");
    assertThat(text.lines().filter(line -> line.startsWith("sandboxer_")).count()).isLessThan(200);
  }

  private String metrics() {
    return api.get("/v1/metrics", "Accept", "text/plain; version=0.0.4").text();
  }

  /** As the table names them: the longest of a timer is no line of its own. */
  private static Set<String> familiesOf(MetricsPage page) {
    return page.families("sandboxer_").stream()
        .map(name -> name.replaceFirst("_seconds_max$", "_seconds"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> matches(String text, String pattern) {
    return Pattern.compile(pattern, Pattern.MULTILINE)
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private Api.Reply delete(String sandbox, String trace, String... headers) {
    List<String> all = new ArrayList<>(List.of(headers));
    all.addAll(List.of("traceparent", "00-" + trace + "-" + SPAN + "-01"));
    return api.delete("/v1/sandboxes/" + sandbox, all.toArray(String[]::new));
  }

  private String create(String traceparent, String request) {
    Api.Reply made =
        api.post(
            "/v1/sandboxes",
            Api.create("local"),
            "Prefer",
            "wait=60",
            "traceparent",
            traceparent,
            "X-Request-Id",
            request);
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return made.field("/id");
  }

  /**
   * With a receiver of traces at a port of its own, and a sink for its figures: nobody is there.
   */
  public static final class Profile extends InProcess {

    private final Map<String, String> settings =
        settings(
            Map.of(
                ENDPOINT,
                "http://127.0.0.1:" + FreePort.find(),
                "SANDBOXER_STATE_HUB_URL",
                "http://127.0.0.1:9"));

    @Override
    public Map<String, String> getConfigOverrides() {
      return settings;
    }
  }
}
