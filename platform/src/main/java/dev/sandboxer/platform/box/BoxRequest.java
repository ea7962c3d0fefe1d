package dev.sandboxer.platform.box;

import dev.sandboxer.platform.sandbox.Consumer;
import java.util.Map;
import java.util.Set;

/**
 * A checked request for the box of a scope.
 *
 * @param tenantId owner
 * @param principalId the key that asks
 * @param scope of the box
 * @param spec what it is made of; what is not named is as the scope's last box had it, if it had
 *     one
 * @param env of every command, laid over the profile's
 * @param named the fields that the caller sent; a living box must agree with these, and only these
 * @param onChange what happens to a living box that differs
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
   * The same with what it does not name as a box has it. Inputs go with their profile: they are
   * left out if that is another one.
   *
   * @param box that the scope has, or had
   * @param boxEnv its environment
   * @return a copy
   */
  BoxRequest filledFrom(Box box, Map<String, String> boxEnv) {
    BoxSpec old = box.spec();
    boolean sameProfile = profileId(old).equals(profileId(spec));
    BoxSpec filled =
        new BoxSpec(
            spec.profile(),
            named(BoxField.INPUTS) || !sameProfile ? spec.inputs() : old.inputs(),
            named(BoxField.MOUNTS) ? spec.mounts() : old.mounts(),
            named(BoxField.LABELS) ? spec.labels() : old.labels(),
            spec.consumer(),
            named(BoxField.TTL_SECONDS) ? spec.ttlSeconds() : old.ttlSeconds(),
            named(BoxField.IDLE_SECONDS) ? spec.idleSeconds() : old.idleSeconds(),
            named(BoxField.PERSISTENT) ? spec.persistent() : old.persistent());
    return new BoxRequest(
        tenantId, principalId, scope, filled, named(BoxField.ENV) ? env : boxEnv, named, onChange);
  }

  boolean named(BoxField field) {
    return named.contains(field);
  }

  private static String profileId(BoxSpec spec) {
    String name = spec.profile().split("@", 2)[0];
    return name.startsWith("profile.") ? name : "profile." + name;
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
