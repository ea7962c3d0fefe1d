package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.access.ApiKeys;
import dev.sandboxer.platform.connection.Places;
import dev.sandboxer.platform.database.Unavailability;
import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.EventBody;
import dev.sandboxer.platform.event.EventFilter;
import dev.sandboxer.platform.event.EventTail;
import dev.sandboxer.platform.event.Gap;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Writes events to listeners, each on its own virtual thread. A listener gets the next event when
 * the one before was written, so one that reads slowly costs nobody memory.
 */
@ApplicationScoped
class EventStreams {

  private static final Logger LOG = Logger.getLogger(EventStreams.class);
  private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(15);
  private static final Duration LOOK_AT_KEY = Duration.ofSeconds(10);

  private static final int MAX_OF_KEY = 1024;

  private final Places places = new Places(Integer.MAX_VALUE, MAX_OF_KEY);
  private final EventTail tail;
  private final ApiKeys keys;
  private final ObjectMapper json;

  EventStreams(EventTail tail, ApiKeys keys, ObjectMapper json) {
    this.tail = tail;
    this.keys = keys;
    this.json = json;
  }

  /** Goes on until the listener has gone, its key was ended or the node stops. */
  void follow(String keyId, EventFilter filter, @Nullable Long after, SseEventSink sink, Sse sse)
      throws InterruptedException {
    if (!places.take(keyId)) {
      throw new ProblemException(
          ErrorCode.RATE_LIMITED,
          "the key follows events %d times already, the most it may".formatted(MAX_OF_KEY));
    }
    try {
      write(keyId, filter, after, sink, sse);
    } finally {
      places.free(keyId);
    }
  }

  private void write(
      String keyId, EventFilter filter, @Nullable Long after, SseEventSink sink, Sse sse)
      throws InterruptedException {
    long looked = System.nanoTime();
    try (sink) {
      long position = after == null ? tail.newest() : after;
      write(sink, sign(sse, "following", position));
      while (tail.open() && !sink.isClosed()) {
        EventTail.Batch batch = tail.await(filter, position, SIGN_OF_LIFE);
        long reached = batch.position();
        position = reached;
        batch.gap().ifPresent(gap -> write(sink, message(sse, gap, reached)));
        for (Event event : batch.events()) {
          write(sink, message(sse, event));
        }
        if (batch.events().isEmpty()) {
          write(sink, sign(sse, "still here", position));
        }
        if (System.nanoTime() - looked >= LOOK_AT_KEY.toNanos()) {
          if (!counts(keyId)) {
            return;
          }
          looked = System.nanoTime();
        }
      }
    } catch (CompletionException e) {
      // The listener has gone.
    }
  }

  /** While the database is away nobody ends a key, and no event comes. */
  private boolean counts(String keyId) {
    try {
      return keys.counts(keyId);
    } catch (RuntimeException e) {
      if (Unavailability.of(e).isEmpty()) {
        throw e;
      }
      LOG.debugf("a listener's key was not looked at reason=%s", e);
      return true;
    }
  }

  /** A comment with a place: a listener that is cut off goes on from there, and misses nothing. */
  private static OutboundSseEvent sign(Sse sse, String comment, long position) {
    return sse.newEventBuilder().comment(comment).id(Long.toString(position)).build();
  }

  private OutboundSseEvent message(Sse sse, Gap gap, long position) {
    return sse.newEventBuilder()
        .name("gap")
        .id(Long.toString(position))
        .mediaType(MediaType.APPLICATION_JSON_TYPE)
        .data(String.class, text(gap))
        .build();
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
    try {
      var _ = sink.send(event).toCompletableFuture().join();
    } catch (IllegalStateException e) { // closed already (SseEventSink.send)
      throw new CompletionException(e);
    }
  }

  private String text(Object value) {
    try {
      return json.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an event could not be written as JSON", e);
    }
  }
}
