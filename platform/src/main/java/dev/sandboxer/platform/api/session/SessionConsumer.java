package dev.sandboxer.platform.api.session;

import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.IgnoredFields;
import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.platform.session.Actor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The member {@code consumer} of a request for a session: for what the sandbox is. */
final class SessionConsumer {

  private static final String PROJECT = "sessions";
  private static final Pattern KIND = Pattern.compile("adm|agt|atm");
  private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}]{1,128}");
  private static final String NAME_WANTED = "1 to 128 characters without control characters";
  private static final List<String> WORK =
      List.of("topic_id", "workstream_id", "task_id", "decision_id");

  private SessionConsumer() {}

  /**
   * Reads it. What it leaves out follows from the actor of the request.
   *
   * @param body of the request
   * @param actor of the request, empty if it names none
   * @param ignored gets the names of unknown fields
   * @return whom the events of the sandbox name
   */
  static Consumer read(Body body, Optional<Actor> actor, IgnoredFields ignored) {
    Optional<Body> given = body.optionalObject("consumer");
    given.ifPresent(
        consumer ->
            ignored.of(
                consumer,
                "actor",
                "actor_id",
                "project",
                "topic_id",
                "workstream_id",
                "task_id",
                "decision_id"));
    Map<String, String> work = new LinkedHashMap<>();
    given
        .flatMap(consumer -> consumer.optionalText("actor_id", NAME, NAME_WANTED))
        .or(() -> actor.map(Actor::id))
        .ifPresent(id -> work.put(Consumer.ACTOR_ID, id));
    for (String name : WORK) {
      given
          .flatMap(consumer -> consumer.optionalText(name, NAME, NAME_WANTED))
          .ifPresent(value -> work.put(name, value));
    }
    return new Consumer(
        given
            .flatMap(
                consumer ->
                    consumer.optionalText(
                        "actor", KIND, "adm (a person), agt (an agent) or atm (an automation)"))
            .orElseGet(() -> kind(actor)),
        given
            .flatMap(consumer -> consumer.optionalText("project", NAME, NAME_WANTED))
            .orElse(PROJECT),
        null,
        null,
        work);
  }

  private static String kind(Optional<Actor> actor) {
    return actor.filter(who -> who.type() == Actor.Type.HUMAN).isPresent() ? "adm" : "agt";
  }
}
