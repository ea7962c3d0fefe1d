package dev.sandboxer.bench.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConnectionTest {

  @Test
  void readsRepliesHoweverTheyArrive() throws Exception {
    String[] pieces = {"HTTP/1.1 200 OK\r\nA: b\r\nconTENT-length:  5", "\r\n\r", "\nhe", "llo"};
    try (Server server = new Server(pieces);
        Connection connection = server.endpoint().connect()) {
      for (int i = 0; i < 50; i++) {
        Reply reply = connection.call(server.endpoint().get("/x"));
        assertThat(reply.require(200).text()).isEqualTo("hello");
      }
    }
  }

  @Test
  void anEmptyReplyNeedsNoLength() throws Exception {
    try (Server server = new Server("HTTP/1.1 204 No Content\r\n\r\n");
        Connection connection = server.endpoint().connect()) {
      assertThat(connection.call(server.endpoint().get("/x")).status()).isEqualTo(204);
    }
  }

  @Test
  void anotherStatusTellsWhatTheServerSaid() throws Exception {
    try (Server server = new Server("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone");
        Connection connection = server.endpoint().connect()) {
      Reply reply = connection.call(server.endpoint().get("/x"));
      assertThatThrownBy(() -> reply.require(200)).hasMessage("status 404, wanted 200: gone");
      assertThatThrownBy(() -> connection.download(server.endpoint().get("/x")))
          .hasMessage("status 404, wanted 200");
    }
  }

  @Test
  void countsWhatItThrowsAway() throws Exception {
    String body = "x".repeat(3_000_000);
    try (Server server = new Server("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n", body);
        Connection connection = server.endpoint().connect()) {
      assertThat(connection.download(server.endpoint().get("/x"))).isEqualTo(3_000_000);
      assertThat(connection.call(server.endpoint().get("/x")).text()).isEqualTo(body);
    }
  }

  @Test
  void refusesWhatItCannotDelimit() throws Exception {
    try (Server server =
            new Server("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
        Connection connection = server.endpoint().connect()) {
      assertThatThrownBy(() -> connection.call(server.endpoint().get("/x")))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("without Content-Length");
    }
  }

  @Test
  void aCutReplyIsAnError() throws Exception {
    try (Server server = new Server("HTTP/1.1 200 OK\r\nContent-Le");
        Connection connection = server.endpoint().connect()) {
      assertThatThrownBy(() -> connection.call(server.endpoint().get("/x")))
          .isInstanceOf(EOFException.class);
    }
  }

  @Test
  void aSwarmCountsOnlyWholeGoodReplies() throws Exception {
    try (Server server = new Server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r", "\nok");
        Swarm swarm = new Swarm(server.endpoint(), server.endpoint().get("/x"), 4)) {
      assertThat(swarm.rate(Duration.ofMillis(50))).isPositive();
      assertThat(swarm.rate(Duration.ofMillis(50))).isPositive();
    }
    try (Server server = new Server("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
        Swarm swarm = new Swarm(server.endpoint(), server.endpoint().get("/x"), 4)) {
      assertThatThrownBy(() -> swarm.rate(Duration.ofSeconds(5)))
          .hasMessage("status 503, wanted 200");
    }
  }
}
