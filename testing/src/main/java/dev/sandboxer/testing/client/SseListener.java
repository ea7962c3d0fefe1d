package dev.sandboxer.testing.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;

/** A client of Server-Sent Events that keeps what it hears. */
public final class SseListener implements AutoCloseable {

  /** One event of the stream. */
  public record Message(String id, String event, String data) {}

  private final HttpClient client;
  private final InputStream body;
  private volatile boolean over;
  private final List<Message> heard = new CopyOnWriteArrayList<>();

  private SseListener(HttpClient client, InputStream body) {
    this.client = client;
    this.body = body;
    var _ = Thread.ofVirtual().start(this::read);
  }

  /** Opens one; returns once the platform follows. */
  public static SseListener open(Api api, String path, String lastEventId) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(api.base().resolve(path))
            .header("Authorization", "Bearer " + api.key())
            .header("Accept", "text/event-stream");
    if (!lastEventId.isEmpty()) {
      request.header("Last-Event-ID", lastEventId);
    }
    HttpClient client = HttpClient.newHttpClient();
    try {
      HttpResponse<InputStream> reply =
          client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      if (reply.statusCode() != 200) {
        throw new AssertionError(
            reply.statusCode()
                + " "
                + new String(reply.body().readAllBytes(), StandardCharsets.UTF_8));
      }
      return new SseListener(client, reply.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void read() {
    String id = "";
    String event = "";
    String data = "";
    try (Scanner lines = new Scanner(body, StandardCharsets.UTF_8)) {
      while (lines.hasNextLine()) {
        String line = lines.nextLine();
        if (line.isEmpty() && !data.isEmpty()) {
          heard.add(new Message(id, event, data));
          data = "";
        } else if (line.startsWith("id:")) {
          id = line.substring(3).strip();
        } else if (line.startsWith("event:")) {
          event = line.substring(6).strip();
        } else if (line.startsWith("data:")) {
          data = line.substring(5).strip();
        }
      }
    }
    over = true;
  }

  /** Whether the stream has ended. */
  public boolean over() {
    return over;
  }

  public List<Message> heard() {
    return List.copyOf(heard);
  }

  public List<Message> await(int count, Duration patience) {
    Awaitility.await().atMost(patience).until(() -> heard.size() >= count);
    return heard();
  }

  @Override
  public void close() {
    try {
      body.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    client.shutdownNow();
  }
}
