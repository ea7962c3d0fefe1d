package dev.sandboxer.platform.webhook;

import dev.sandboxer.platform.delivery.SinkStreams;
import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.Events;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;

/** Deliveries that somebody asks for. Whoever calls has checked whose webhook it is. */
@ApplicationScoped
public class Redelivery {

  private final Targets targets;
  private final Envelopes envelopes;
  private final Sender sender;
  private final SinkStreams streams;
  private final Events events;
  private final DeliveryLog log;

  Redelivery(
      Targets targets,
      Envelopes envelopes,
      Sender sender,
      SinkStreams streams,
      Events events,
      DeliveryLog log) {
    this.targets = targets;
    this.envelopes = envelopes;
    this.sender = sender;
    this.streams = streams;
    this.events = events;
    this.log = log;
  }

  /**
   * Sends a message of type {@code webhook.test}, once. Blocks.
   *
   * @param id of the webhook
   * @return how it went, empty if there is no such webhook
   * @throws InterruptedException if the node ends
   */
  public Optional<DeliveryResult> test(String id) throws InterruptedException {
    Optional<Target> target = targets.find(id);
    return target.isEmpty()
        ? Optional.empty()
        : Optional.of(send(target.get(), envelopes.test(id), Cause.TEST));
  }

  /**
   * Sends an event again. One that the webhook has not got yet comes in its turn, as soon as it
   * can; any other is sent once, now. Blocks.
   *
   * @param tenantId owner of the webhook and the event
   * @param id of the webhook
   * @param eventId {@code evt_...}
   * @return how it went, empty if webhook or event are not there any more
   * @throws InterruptedException if the node ends
   */
  public Optional<DeliveryResult> replay(String tenantId, String id, String eventId)
      throws InterruptedException {
    Optional<Event> event = events.find(tenantId, eventId);
    Optional<Target> target = targets.find(id);
    if (event.isEmpty() || target.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        waits(target.get(), event.get())
            ? DeliveryResult.queued(eventId)
            : send(target.get(), envelopes.of(event.get()), Cause.REPLAY));
  }

  /**
   * Whether it comes in its turn. Who sends a subject's events writes down how far it has come when
   * it gives the claim back; until then the log alone says what has arrived.
   */
  private boolean waits(Target target, Event event) {
    return target.wants(event)
        && streams.hurry(target.id(), event.subject(), event.seq())
        && !log.arrived(target.id(), event.id());
  }

  /**
   * Leaves out an event that was given up, so that those behind it arrive.
   *
   * @param tenantId owner of the webhook and the event
   * @param id of the webhook
   * @param eventId {@code evt_...}
   * @return false if it was not given up
   */
  public boolean skip(String tenantId, String id, String eventId) {
    return events
        .find(tenantId, eventId)
        .map(event -> streams.skip(id, event.subject(), event.seq()))
        .orElse(false);
  }

  private DeliveryResult send(Target target, Message message, Cause cause)
      throws InterruptedException {
    return DeliveryResult.of(sender.send(target, message, cause, 1));
  }
}
