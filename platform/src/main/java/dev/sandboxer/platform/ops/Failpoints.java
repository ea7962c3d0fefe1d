package dev.sandboxer.platform.ops;

/**
 * Named places between two steps where a test may stop the process, to kill it there. Does nothing
 * unless {@code SANDBOXER_FAILPOINTS} is set and the file {@code run/failpoint.armed} names the
 * place.
 */
@FunctionalInterface
public interface Failpoints {

  /**
   * Reached.
   *
   * @param name of the place, such as {@code create.provisioned}
   */
  void reach(String name);
}
