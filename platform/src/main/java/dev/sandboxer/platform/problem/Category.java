package dev.sandboxer.platform.problem;

/** Whose turn it is after an error. */
public enum Category {
  /** The request is wrong; sending it again changes nothing. */
  REQUEST,
  /** The caller is unknown or may not do this. */
  ACCESS,
  /** What the request names is in another state, or changed meanwhile. */
  STATE,
  /** A limit is reached. */
  LIMIT,
  /** A backend or a sandbox failed. */
  BACKEND,
  /** The platform itself failed. */
  PLATFORM
}
