package dev.sandboxer.ext.k8s.cluster;

/** What a request to remove an object has done. */
public enum Deleted {
  /** There is no object of its name. */
  ABSENT,
  /** An object of its name is there, but another one. */
  REPLACED,
  /** It ends once its processes have, and its finalizers let it go. */
  ENDING,
  /** It is gone. */
  GONE;

  /**
   * Whether it was there when it was to be removed.
   *
   * @return false if it was not, or another was
   */
  public boolean wasThere() {
    return this == ENDING || this == GONE;
  }
}
