package dev.sandboxer.spi;

/** How boxd gets into a sandbox. */
public enum BoxdPlacement {
  /** It is the first process. */
  INIT,
  /** It is started beside the sandbox's own first process. */
  CHILD,
  /** It cannot be placed; the sandbox has no dataplane. */
  NONE
}
