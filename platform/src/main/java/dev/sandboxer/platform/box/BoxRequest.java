package dev.sandboxer.platform.box;

import dev.sandboxer.platform.sandbox.Consumer;
import java.util.Map;
import java.util.Set;

/**
 * A checked request for the box of a scope.
 *
 * @param tenantId owner
 * @param principalId the key that asks
 * @param scope whom the box is for
 * @param spec what it is made of if there is none
 * @param env of every command, laid over the profile's
 * @param named what the caller said; a living box must be so, whatever else it is
 * @param onChange what becomes of a living box that is not so
 */
public record BoxRequest(
    String tenantId,
    String principalId,
    BoxScope scope,
    BoxSpec spec,
    Map<String, String> env,
    Set<BoxField> named,
    OnChange onChange) {

  /** Keeps immutable copies. */
  public BoxRequest {
    env = Map.copyOf(env);
    named = Set.copyOf(named);
  }

  /**
   * The same by another consumer.
   *
   * @param consumer who asks
   * @return a copy
   */
  public BoxRequest by(Consumer consumer) {
    return new BoxRequest(tenantId, principalId, scope, spec.by(consumer), env, named, onChange);
  }
}
