package dev.sandboxer.bench.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class EventStreamTest {

  private static final String HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

  @Test
  void readsEventsHoweverTheyAreCut() throws IOException {
    String first = "b\r\n:following\n\r\n1\r\n\n\r\n";
    String second = "9\r\nid: 1\ndat\r\n14\r\na: {\"a\":1}\n\n:comment\r\n2\r\n\n\n\r\n";
    String third = "b\r\ndata: two\n\n\r\n";
    try (Server server = new Server(HEAD, first, second, third);
        EventStream stream = EventStream.open(server.endpoint(), "/events")) {
      assertThat(stream.next()).isEqualTo("{\"a\":1}");
      assertThat(stream.next()).isEqualTo("two");
    }
  }

  @Test
  void aRefusalIsNoStream() throws IOException {
    try (Server server = new Server("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")) {
      assertThatThrownBy(() -> EventStream.open(server.endpoint(), "/events").close())
          .hasMessageContaining("401");
    }
  }
}
