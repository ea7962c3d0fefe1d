package dev.sandboxer.sink.nats;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.sink.EventMessage;
import dev.sandboxer.spi.sink.EventSink;
import dev.sandboxer.spi.sink.SinkException;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.Message;
import io.nats.client.PublishOptions;
import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * Publishes each event as a message {@code <subject>.<tenant>.<type>}. With JetStream it counts as
 * delivered once the stream has said that it is kept; an event that comes again is known by its id.
 */
final class NatsSink implements EventSink {

  private static final Duration FLUSH = Duration.ofSeconds(10);

  /** JetStream's codes of a message that it will never take. */
  private static final int TOO_LARGE = 10_054;

  private static final int HEADER_TOO_LARGE = 10_097;

  private final NatsSettings settings;
  private final NatsConnection connection;

  NatsSink(NatsSettings settings) {
    this.settings = settings;
    this.connection = new NatsConnection(settings);
  }

  @Override
  public void deliver(EventMessage event, Call call) throws SinkException {
    Message message = message(event);
    try {
      if (settings.stream().isPresent()) {
        keep(message, event.id(), settings.stream().get());
      } else {
        pass(message);
      }
    } catch (JetStreamApiException e) {
      throw judged(e);
    } catch (IllegalArgumentException e) {
      throw SinkException.refused("NATS does not take the message: " + e.getMessage());
    } catch (IOException | IllegalStateException | TimeoutException e) {
      throw SinkException.away("NATS at " + settings.servers() + " is away: " + reason(e), e);
    } catch (InterruptedException e) {
      throw SinkException.away("NATS at " + settings.servers() + " took too long", e);
    }
  }

  private Message message(EventMessage event) {
    Headers headers = new Headers();
    headers.add("Content-Type", "application/json");
    return NatsMessage.builder()
        .subject(String.join(".", settings.subject(), event.tenant(), event.type()))
        .headers(headers)
        .data(event.json(), StandardCharsets.UTF_8)
        .build();
  }

  private void keep(Message message, String id, String stream)
      throws IOException, InterruptedException, JetStreamApiException {
    PublishOptions options = PublishOptions.builder().messageId(id).expectedStream(stream).build();
    var _ = connection.jetStream().publish(message, options);
  }

  /** Without JetStream: the server has read it, and nobody may have listened. */
  private void pass(Message message)
      throws IOException, InterruptedException, JetStreamApiException, TimeoutException {
    Connection open = connection.open();
    open.publish(message);
    open.flush(FLUSH);
  }

  private SinkException judged(JetStreamApiException e) {
    String told = "JetStream answered: " + e.getMessage();
    boolean never = e.getApiErrorCode() == TOO_LARGE || e.getApiErrorCode() == HEADER_TOO_LARGE;
    return never ? SinkException.refused(told) : SinkException.away(told, e);
  }

  private String reason(Exception e) {
    String told = String.valueOf(e.getMessage());
    return told.contains("503") || told.contains("No Responders")
        ? "no stream takes %s.>; make one, or set create_stream".formatted(settings.subject())
        : told;
  }

  @Override
  public void close() {
    connection.close();
  }
}
