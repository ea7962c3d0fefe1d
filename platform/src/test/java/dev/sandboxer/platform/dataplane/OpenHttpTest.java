package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Replies that never end by themselves: they stream, and are cut like WebSockets. */
@ParameterizedClass
@EnumSource
class OpenHttpTest {

  @Parameter Via via;

  private static final String SSE =
      String.join(
          "\r\n",
          "HTTP/1.1 200 OK",
          "Content-Type: text/event-stream",
          "Sandboxer-Offset: 7",
          "Sandboxer-Gap: 3-7",
          "Transfer-Encoding: chunked",
          "",
          "6",
          "data:a",
          "");

  @Test
  void events_of_files_stream_through_and_end_when_access_is_withdrawn() throws Exception {
    try (RelayHarness relay = new RelayHarness();
        HostileBoxd boxd = HostileBoxd.answering(via, SSE);
        RawClient client = new RawClient(relay.port())) {
      relay.put(1, 0, boxd.address());
      client.send(
          "GET /dp/"
              + RelayHarness.ID
              + "/v1/files/watch?path=x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
              + relay.allToken()
              + "\r\nLast-Event-ID: 4\r\n\r\n");
      assertThat(client.head())
          .startsWith("HTTP/1.1 200 ")
          .containsIgnoringCase("content-type: text/event-stream")
          .containsIgnoringCase("sandboxer-offset: 7")
          .containsIgnoringCase("sandboxer-gap: 3-7");
      assertThat(new String(client.read(9), StandardCharsets.US_ASCII)).isEqualTo("6\r\ndata:a");
      assertThat(boxd.heads().getFirst()).contains("Last-Event-ID: 4");
      relay.streams.watch();
      assertThat(relay.streams.count()).isEqualTo(1);

      assertThat(relay.streams.cut(OpenStreams.Scope.ALL, "", 1)).isEqualTo(1);
      assertThat(client.rest()).doesNotContain("0\r\n\r\n");
      await().until(() -> boxd.ended() == 1);
      await().until(() -> relay.streams.count() == 0);
      assertThat(
              relay
                  .registry
                  .get("sandboxer.relay.bytes")
                  .tag("direction", "down")
                  .functionCounter()
                  .count())
          .isEqualTo(6);
    }
  }
}
