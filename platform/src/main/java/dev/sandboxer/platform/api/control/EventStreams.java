package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.EventBody;
import dev.sandboxer.platform.event.EventFilter;
import dev.sandboxer.platform.event.EventTail;
import dev.sandboxer.platform.event.Events;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Writes events to listeners, each on its own virtual thread. A listener gets the next event when
 * the one before was written, so one that reads slowly costs nobody memory.
 */
@ApplicationScoped
class EventStreams {

  private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(15);

  private final EventTail tail;
  private final Events events;
  private final ObjectMapper json;

  EventStreams(EventTail tail, Events events, ObjectMapper json) {
    this.tail = tail;
    this.events = events;
    this.json = json;
  }

  /** Goes on until the listener has gone or the node stops. */
  void follow(EventFilter filter, @Nullable Long after, SseEventSink sink, Sse sse)
      throws InterruptedException {
    try (sink) {
      write(sink, sse.newEventBuilder().comment("following").build());
      long position = after == null ? tail.newest() : tellGap(after, sink, sse);
      while (tail.open() && !sink.isClosed()) {
        EventTail.Batch batch = tail.await(filter, position, SIGN_OF_LIFE);
        for (Event event : batch.events()) {
          write(sink, message(sse, event));
        }
        if (batch.events().isEmpty()) {
          write(sink, sse.newEventBuilder().comment("still here").build());
        }
        position = batch.position();
      }
    } catch (CompletionException e) {
      // The listener has gone.
    }
  }

  /** What was forgotten between the listener's last event and the oldest one that is kept. */
  private long tellGap(long after, SseEventSink sink, Sse sse) {
    Optional<Long> oldest = events.oldest();
    long first = oldest.orElse(events.newest() + 1);
    if (after >= first - 1) {
      return after;
    }
    write(
        sink,
        sse.newEventBuilder()
            .name("gap")
            .id(Long.toString(first - 1))
            .mediaType(MediaType.APPLICATION_JSON_TYPE)
            .data(String.class, text(Map.of("from", after + 1, "to", first - 1)))
            .build());
    return first - 1;
  }

  private OutboundSseEvent message(Sse sse, Event event) {
    return sse.newEventBuilder()
        .id(String.valueOf(event.position()))
        .name(event.type())
        .mediaType(MediaType.APPLICATION_JSON_TYPE)
        .data(String.class, text(EventBody.of(event)))
        .build();
  }

  private static void write(SseEventSink sink, OutboundSseEvent event) {
    var _ = sink.send(event).toCompletableFuture().join();
  }

  private String text(Object value) {
    try {
      return json.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an event could not be written as JSON", e);
    }
  }
}
