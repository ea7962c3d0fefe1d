package dev.sandboxer.spi;

/** How a backend finds the object of an identity. */
public enum IdentityMode {
  /** By a name that the backend keeps unique: at once and completely. */
  UNIQUE_NAME,
  /** By searching labels, which may lag by the late-effect window. */
  SEARCH
}
