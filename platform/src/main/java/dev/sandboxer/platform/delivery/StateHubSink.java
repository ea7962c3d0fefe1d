package dev.sandboxer.platform.delivery;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.event.EventType;
import dev.sandboxer.platform.installation.Authorities;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.sink.EventMessage;
import dev.sandboxer.spi.sink.EventSink;
import dev.sandboxer.spi.sink.SinkException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Writes each event into a State Hub's progress log: {@code POST /progress/}. */
final class StateHubSink implements EventSink {

  private static final List<String> WORK =
      List.of("topic_id", "workstream_id", "task_id", "decision_id");
  private static final Set<Integer> NEVER = Set.of(400, 413, 422);
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration REPLY = Duration.ofSeconds(15);
  private static final int READ_AT_MOST = 4096;

  private final URI target;
  private final Optional<String> token;
  private final ObjectMapper json;
  private final InstantSource clock;
  private final HttpClient client;

  /**
   * Makes the sink.
   *
   * @param url of the hub; without a path of its own {@code /progress/} is meant
   * @param token sent as bearer, if there is one
   * @param authorities whose signatures count, empty for those that Java trusts
   */
  StateHubSink(
      URI url,
      Optional<String> token,
      Optional<Authorities> authorities,
      ObjectMapper json,
      InstantSource clock) {
    String path = url.getPath();
    this.target =
        path == null || path.isEmpty() || path.equals("/") ? url.resolve("/progress/") : url;
    this.token = token;
    this.json = json;
    this.clock = clock;
    this.client = Authorities.client(authorities, CONNECT);
  }

  @Override
  public void deliver(EventMessage event, Call call) throws SinkException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(target)
            .timeout(REPLY)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", event.id())
            .POST(HttpRequest.BodyPublishers.ofString(body(event)));
    token.ifPresent(value -> request.header("Authorization", "Bearer " + value));
    try {
      HttpResponse<InputStream> reply = client.send(request.build(), BodyHandlers.ofInputStream());
      try (InputStream body = reply.body()) {
        var _ = body.readNBytes(READ_AT_MOST);
      }
      judge(reply);
    } catch (IOException e) {
      throw SinkException.away("the State Hub at " + target + " does not answer: " + e, e);
    } catch (InterruptedException e) {
      throw SinkException.away("the State Hub at " + target + " took too long", e);
    }
  }

  private void judge(HttpResponse<InputStream> reply) throws SinkException {
    int status = reply.statusCode();
    if (status / 100 == 2) {
      return;
    }
    String told = "the State Hub at %s answered %d".formatted(target, status);
    if (NEVER.contains(status)) {
      throw SinkException.refused(told);
    }
    Optional<Duration> wait = RetryAfter.of(reply.headers(), clock);
    throw wait.isPresent() ? SinkException.later(told, wait.get()) : SinkException.away(told, null);
  }

  private String body(EventMessage event) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("summary", Summaries.of(event));
    body.put("event_type", kind(event.type()).text());
    body.put("author", "sandboxer");
    WORK.forEach(
        name -> {
          Object value = event.consumer().get(name);
          if (value != null) {
            body.put(name, value);
          }
        });
    body.put("detail", detail(event));
    try {
      return json.writeValueAsString(body);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("event " + event.id() + " could not be written as JSON", e);
    }
  }

  private static EventType.Kind kind(String type) {
    return EventType.of(type).map(EventType::kind).orElse(EventType.Kind.NOTE);
  }

  private static Map<String, Object> detail(EventMessage event) {
    Map<String, Object> detail = new LinkedHashMap<>();
    detail.put("event_id", event.id());
    detail.put("type", event.type());
    detail.put("seq", event.seq());
    detail.put("occurred_at", event.occurredAt().toString());
    detail.put(event.subject().startsWith("sb_") ? "sandbox_id" : "tenant", event.subject());
    detail.put("consumer", event.consumer());
    Object actor = event.consumer().get("actor");
    if (actor != null) {
      detail.put("actor_type", actor);
    }
    if (event.state() != null) {
      detail.put("state", event.state());
    }
    detail.putAll(event.detail());
    return detail;
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
