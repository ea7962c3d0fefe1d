package dev.sandboxer.platform.pipeline;

import dev.sandboxer.platform.box.BoxField;
import dev.sandboxer.platform.box.BoxRequest;
import dev.sandboxer.platform.box.BoxScope;
import dev.sandboxer.platform.box.BoxSpec;
import dev.sandboxer.platform.box.OnChange;
import dev.sandboxer.spi.Mount;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

/**
 * A pipeline.
 *
 * @param id the tenant's name for it
 * @param template the scope of its boxes
 * @param spec what they are made of, beside the skills
 * @param env of every command; stored sealed
 * @param skills that each of them has, whichever is used
 * @param onChange what happens to a living box that differs
 */
public record Pipeline(
    String id,
    String template,
    BoxSpec spec,
    Map<String, String> env,
    List<Skill> skills,
    OnChange onChange) {

  /** Keeps immutable copies. */
  public Pipeline {
    env = Map.copyOf(env);
    skills = List.copyOf(skills);
  }

  /**
   * What a box is made of.
   *
   * @return with the skills as mounts
   */
  public BoxSpec boxSpec() {
    List<Mount> mounts = new ArrayList<>(spec.mounts());
    skills.forEach(skill -> mounts.add(skill.mount()));
    return spec.mounting(mounts);
  }

  /**
   * A request for one of its boxes, which must be as the pipeline is now.
   *
   * @param tenantId owner
   * @param principalId the key that asks
   * @param scope of the box
   * @param change what the request sets for a living box that differs
   * @return for {@code Boxes}
   */
  public BoxRequest request(String tenantId, String principalId, BoxScope scope, OnChange change) {
    return new BoxRequest(
        tenantId, principalId, scope, boxSpec(), env, EnumSet.allOf(BoxField.class), change);
  }
}
