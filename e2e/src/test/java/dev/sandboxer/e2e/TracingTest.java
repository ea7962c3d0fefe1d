package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import dev.sandboxer.testing.client.Api;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a request caused can be followed: in traces, in log lines, and summed up in metrics. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TracingTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";
  private static final String DELETE = "DELETE /v1/sandboxes/{id}";
  private static final String SECRET = "hunter2hunter2";

  private Collector collector;
  private Platform platform;
  private Api api;

  @BeforeAll
  void start() {
    collector = Collector.start();
    platform = Platform.start(Map.of("SANDBOXER_OTLP_ENDPOINT", collector.url()));
    api = platform.api();
  }

  @AfterAll
  void stop() {
    platform.close();
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
    Map<String, Span> trace =
        awaitTrace(
            TRACE,
            "POST /v1/sandboxes",
            "sandbox.route",
            "sandbox.create",
            "POST /dp/{sandbox}/v1/exec",
            "relay");
    assertThat(path(trace, "extension provision"))
        .containsExactly(
            "extension provision", "sandbox.provision", "sandbox.create", "POST /v1/sandboxes");
    assertThat(path(trace, "extension waitReady"))
        .containsExactly(
            "extension waitReady", "sandbox.wait_ready", "sandbox.create", "POST /v1/sandboxes");
    assertThat(path(trace, "sandbox.configure"))
        .containsExactly("sandbox.configure", "sandbox.create", "POST /v1/sandboxes");
    assertThat(path(trace, "sandbox.route")).containsExactly("sandbox.route", "POST /v1/sandboxes");
    assertThat(path(trace, "relay")).containsExactly("relay", "POST /dp/{sandbox}/v1/exec");
    for (String root : List.of("POST /v1/sandboxes", "POST /dp/{sandbox}/v1/exec")) {
      assertThat(hex(span(trace, root).getParentSpanId())).isEqualTo(SPAN);
      assertThat(span(trace, root).getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_SERVER);
    }
    assertThat(facts(span(trace, "extension provision")))
        .containsEntry("sandboxer.extension.id", "ext.nsjail")
        .containsEntry("sandboxer.attempt", "1")
        .containsEntry("sandboxer.outcome", "ok")
        .containsKey("sandboxer.host.id");
    assertThat(facts(span(trace, "relay"))).containsEntry("http.response.status_code", "200");
    assertThat(facts(span(trace, "POST /v1/sandboxes")))
        .containsEntry("sandboxer.request.id", "req_traced");
    assertThat(collector.spans().toString())
        .doesNotContain(SECRET)
        .doesNotContain(platform.key())
        .doesNotContain(dataplane.api().key());
  }

  @Test
  void aCreateCutOffByAKillGoesOnInItsTrace() {
    String trace = "1af7651916cd43dd8448eb211c80319c";
    platform.arm("create.attempted");
    Api.Reply made =
        api.post(
            "/v1/sandboxes",
            Api.create("local"),
            "traceparent",
            "00-" + trace + "-" + SPAN + "-01");
    String sandbox = made.field("/id");
    platform.awaitFailpoint("create.attempted");
    awaitTrace(trace, "POST /v1/sandboxes");
    platform.kill();
    platform.restart(settings());
    api = platform.api();
    assertThat(api.get("/v1/sandboxes/" + sandbox, "Prefer", "wait=60").field("/state"))
        .isEqualTo("ready");
    Map<String, Span> all = awaitTrace(trace, "sandbox.create");
    assertThat(path(all, "extension provision"))
        .containsExactly(
            "extension provision", "sandbox.provision", "sandbox.create", "POST /v1/sandboxes");
    assertThat(facts(span(all, "sandbox.create")).get("sandboxer.claim")).isEqualTo("2");
  }

  @Test
  void aDeleteIsFollowedToTheBackend() {
    String trace = "5af7651916cd43dd8448eb211c80319c";
    String sandbox = create("", "req_made");
    assertThat(delete(sandbox, trace, "Prefer", "wait=30").status()).isEqualTo(200);
    Map<String, Span> all = awaitTrace(trace, DELETE, "sandbox.delete", "sandbox.clean_up");
    assertThat(path(all, "sandbox.delete")).containsExactly("sandbox.delete", DELETE);
    assertThat(path(all, "extension teardown"))
        .containsExactly("extension teardown", "sandbox.clean_up", DELETE);
    assertThat(facts(span(all, "extension teardown")))
        .containsEntry("sandboxer.extension.id", "ext.nsjail")
        .containsEntry("sandboxer.attempt", "1")
        .containsEntry("sandboxer.outcome", "ok")
        .containsKey("sandboxer.host.id");
    assertThat(facts(span(all, "sandbox.clean_up")))
        .containsEntry("sandboxer.sandbox.id", sandbox)
        .containsEntry("sandboxer.try", "1")
        .containsEntry("sandboxer.left", "0");
  }

  @Test
  void aDeleteCutOffByAKillGoesOnInItsTrace() {
    String trace = "6af7651916cd43dd8448eb211c80319c";
    String sandbox = create("", "req_cut");
    platform.arm("delete.destroying");
    assertThat(delete(sandbox, trace).status()).isEqualTo(202);
    platform.awaitFailpoint("delete.destroying");
    awaitTrace(trace, DELETE, "sandbox.delete");
    platform.kill();
    platform.restart(settings());
    api = platform.api();
    Map<String, Span> all = awaitTrace(trace, "sandbox.clean_up");
    assertThat(path(all, "extension teardown"))
        .containsExactly("extension teardown", "sandbox.clean_up", DELETE);
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
    awaitTrace(later, "sandbox.clean_up");
    assertThat(collector.spans())
        .filteredOn(span -> sandbox.equals(facts(span).get("sandboxer.sandbox.id")))
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
    int port = collector.port();
    collector.close();
    String sandbox = create("00-2af7651916cd43dd8448eb211c80319c-" + SPAN + "-01", "req_down");
    await().atMost(PATIENCE).until(() -> !lines("traces are dropped").isEmpty());
    assertThat(api.access(sandbox).exec("true").status()).isEqualTo(200);
    for (int status : new int[] {0, 503}) {
      try (Collector refusing = Collector.answering(port, status)) {
        awaitWhileTracing(() -> refusing.refused() >= 3);
      }
    }
    collector = Collector.at(port);
    awaitWhileTracing(() -> lines("traces are taken again").size() == 1);
    assertThat(lines("traces are dropped")).hasSize(1);
    assertThat(platform.log()).doesNotContain("io.opentelemetry.exporter.internal.http");
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
  void nothingIsTracedWhereNobodyAsked() {
    String unseen = "3af7651916cd43dd8448eb211c80319c";
    try (Platform other = Platform.start(Map.of())) {
      Api quiet = other.api();
      Api.Reply made =
          quiet.post(
              "/v1/sandboxes",
              Api.create("local"),
              "Prefer",
              "wait=60",
              "traceparent",
              "00-" + unseen + "-" + SPAN + "-01",
              "X-Request-Id",
              "req_quiet");
      assertThat(made.status()).isEqualTo(201);
      assertThat(quiet.access(made.field("/id")).exec("true").status()).isEqualTo(200);
      assertThat(other.log())
          .contains("\"request_id\":\"req_quiet\"")
          .doesNotContain("trace_id")
          .doesNotContain("traces are");
    }
    assertThat(collector.spans()).noneMatch(span -> hex(span.getTraceId()).equals(unseen));
  }

  @Test
  void logLinesSayWhoseTheyAre() {
    String trace = "4af7651916cd43dd8448eb211c80319c";
    String sandbox = create("00-" + trace + "-" + SPAN + "-01", "req_logged");
    for (String word : List.of("jail started", "sandbox established")) {
      JsonNode line = awaitLine(word, "sandbox_id", sandbox);
      assertThat(line.path("request_id").asText()).isEqualTo("req_logged");
      assertThat(line.path("trace_id").asText()).isEqualTo(trace);
      assertThat(line.path("span_id").asText()).hasSize(16);
    }
    String foreign = "sb_aaaaaaaaaaaaaaaaaaaa";
    assertThat(api.get("/dp/" + foreign + "/v1/health", "X-Request-Id", "req_relay").status())
        .isEqualTo(401);
    JsonNode refused = awaitLine("relay refused", "request_id", "req_relay");
    assertThat(refused.path("sandbox_id").asText()).isEqualTo(foreign);
  }

  @Test
  void metricsAreNamedByTheConventionsAndInTheTable() throws IOException {
    String sandbox = create("", "req_metrics");
    assertThat(api.access(sandbox).exec("true").status()).isEqualTo(200);
    String text =
        await()
            .atMost(PATIENCE)
            .until(
                () -> api.get("/v1/metrics", "Accept", "text/plain; version=0.0.4").text(),
                all -> all.contains("sandboxer_sink_failures{"));
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
        .isSubsetOf("status", "direction", "extension", "call", "result", "sink");
    assertThat(text.lines().filter(line -> line.startsWith("sandboxer_")).count()).isLessThan(200);
    String guide = Files.readString(Guide.CHECKOUT.resolve("docs/operations.md"));
    assertThat(matches(guide, "^\\| `(sandboxer_[a-z_]+)` \\|")).isEqualTo(familiesOf(page));
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

  private Map<String, String> settings() {
    return Map.of(
        "SANDBOXER_OTLP_ENDPOINT",
        collector.url(),
        "SANDBOXER_STATE_HUB_URL",
        "http://127.0.0.1:9"); // nobody listens there
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

  /** The spans of a trace by name, once these have come. */
  private Map<String, Span> awaitTrace(String id, String... names) {
    Map<String, Span> found = new TreeMap<>();
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              for (Span span : collector.spans()) {
                if (hex(span.getTraceId()).equals(id)) {
                  found.put(span.getName(), span);
                }
              }
              return found.keySet().containsAll(List.of(names));
            });
    return found;
  }

  /** Names from a span up to the first that another program is the parent of. */
  private static List<String> path(Map<String, Span> trace, String name) {
    List<String> path = new ArrayList<>();
    Span span = trace.get(name);
    while (span != null) {
      path.add(span.getName());
      ByteString parent = span.getParentSpanId();
      span =
          trace.values().stream()
              .filter(candidate -> candidate.getSpanId().equals(parent))
              .findFirst()
              .orElse(null);
    }
    return path;
  }

  private static Span span(Map<String, Span> trace, String name) {
    return Objects.requireNonNull(trace.get(name), name);
  }

  private static Map<String, String> facts(Span span) {
    return span.getAttributesList().stream()
        .collect(Collectors.toMap(KeyValue::getKey, TracingTest::value));
  }

  private static String value(KeyValue fact) {
    return fact.getValue().hasIntValue()
        ? Long.toString(fact.getValue().getIntValue())
        : fact.getValue().getStringValue();
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  private List<JsonNode> lines(String word) {
    return platform
        .log()
        .lines()
        .filter(line -> line.contains(word))
        .map(TracingTest::read)
        .toList();
  }

  /** A line may be written after the reply that it is about. */
  private JsonNode awaitLine(String word, String field, String value) {
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                lines(word).stream()
                    .filter(line -> line.path(field).asText().equals(value))
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  private static JsonNode read(String line) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new AssertionError(line, e);
    }
  }
}
