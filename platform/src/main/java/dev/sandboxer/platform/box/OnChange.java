package dev.sandboxer.platform.box;

/** What happens to a living box that differs from the request. */
public enum OnChange {
  /** It stays as it is, and the request is refused. */
  CONFLICT,
  /** Its sandbox ends and a new one is made. */
  RECREATE
}
