package dev.sandboxer.platform.session;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who asks, for whom.
 *
 * @param principal the key
 * @param user whose limits count: the key's user, or whom a delegating key named
 * @param actor who will act, null if nobody was named
 */
public record OnBehalfOf(Principal principal, String user, @Nullable Actor actor) {

  /**
   * A token's subject.
   *
   * @return the user if an agent acts for one, else the actor's id, else the user
   */
  public String subject() {
    return actor == null || agent() != null ? user : actor.id();
  }

  /**
   * The agent that acts for the user, in a token's {@code act}.
   *
   * @return null unless an agent was named that acts for someone other than the key itself
   */
  public @Nullable String agent() {
    Actor who = actor;
    if (who == null || who.type() != Actor.Type.AGENT) {
      return null;
    }
    return user.equals(principal.keyId()) || user.equals(who.id()) ? null : who.id();
  }

  /**
   * Finds out who asks for whom.
   *
   * @param principal the key
   * @param actor named in the request
   * @param user named in the request
   * @return both
   * @throws ProblemException FORBIDDEN if the key names someone else and may not
   */
  public static OnBehalfOf of(Principal principal, Optional<Actor> actor, Optional<String> user) {
    boolean delegate = principal.role().covers(Role.DELEGATE);
    String own = principal.user();
    List<String> named = Stream.concat(actor.map(Actor::id).stream(), user.stream()).toList();
    if (!delegate && !named.stream().allMatch(own::equals)) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "this key acts for '%s' alone; to name others it needs the role delegate".formatted(own));
    }
    String counted =
        user.or(() -> actor.filter(who -> who.type() == Actor.Type.HUMAN).map(Actor::id))
            .orElse(own);
    return new OnBehalfOf(principal, counted, actor.orElse(null));
  }
}
