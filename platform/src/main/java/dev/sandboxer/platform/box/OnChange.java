package dev.sandboxer.platform.box;

/** What becomes of a living box that is not as a request wants it. */
public enum OnChange {
  /** It stays as it is, and the request is refused. */
  CONFLICT,
  /** Its sandbox ends and a new one is made. */
  RECREATE
}
