package dev.sandboxer.spi;

/** What a sandbox may reach. */
public enum NetworkMode {
  /** Nothing. */
  NONE,
  /** Public addresses on ports 80 and 443, through the platform's proxy. */
  PUBLIC,
  /** The hosts and ports that the profile lists, through the platform's proxy. */
  ALLOW
}
