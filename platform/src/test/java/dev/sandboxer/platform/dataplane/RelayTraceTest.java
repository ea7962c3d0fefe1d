package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.trace.Tracing;
import java.net.URI;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** boxd learns the trace that a request belongs to, and nothing else that the client says of it. */
@ParameterizedClass
@EnumSource
class RelayTraceTest {

  @Parameter Via via;

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  // Nobody listens there: what is exported is lost, and nobody waits for it.
  private static final Optional<URI> NOWHERE = Optional.of(URI.create("http://127.0.0.1:9"));

  @Test
  void theRelaysOwnSpanIsTheParent() throws Exception {
    assertThat(headAtBoxd(NOWHERE))
        .containsPattern("traceparent: 00-" + TRACE + "-(?!" + SPAN + ")[0-9a-f]{16}-01\r\n")
        .doesNotContain("tracestate");
  }

  @Test
  void withoutTracingNothingIsSaid() throws Exception {
    assertThat(headAtBoxd(Optional.empty())).doesNotContain("trace");
  }

  private String headAtBoxd(Optional<URI> receiver) throws Exception {
    try (Tracing tracing = new Tracing(receiver, Optional.empty(), "test");
        RelayHarness relay = new RelayHarness(RelayTimeouts.USUAL, tracing);
        HostileBoxd boxd = HostileBoxd.serving(via, 1, OK)) {
      relay.put(1, 0, boxd.address());
      int status =
          relay
              .http
              .send(
                  relay
                      .request("/v1/files/list?path=.")
                      .header("traceparent", "00-" + TRACE + "-" + SPAN + "-00")
                      .header("tracestate", "vendor=1")
                      .build(),
                  BodyHandlers.ofString())
              .statusCode();
      assertThat(status).isEqualTo(200);
      return boxd.heads().getFirst();
    }
  }
}
