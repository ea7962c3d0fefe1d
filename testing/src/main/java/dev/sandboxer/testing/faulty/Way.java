package dev.sandboxer.testing.faulty;

/** How the platform reaches the sandboxes of a backend. */
public enum Way {
  /** By the Unix sockets of their boxds. */
  SOCKET,
  /** By streams that the extension opens, which end with the platform. */
  STREAMS,
  /** By TLS to their boxds, on loopback. */
  TLS
}
