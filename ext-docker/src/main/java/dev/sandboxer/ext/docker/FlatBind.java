package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.github.dockerjava.api.model.BindOptions;

/**
 * A bind mount without what is mounted below its source: an Engine's read-only does not reach
 * those.
 */
final class FlatBind extends BindOptions {

  private static final long serialVersionUID = 1L;

  /**
   * Whether mounts below the source stay outside.
   *
   * @return true
   */
  @JsonProperty("NonRecursive")
  public boolean isNonRecursive() {
    return true;
  }
}
