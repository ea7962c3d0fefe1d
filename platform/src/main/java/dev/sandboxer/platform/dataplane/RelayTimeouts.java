package dev.sandboxer.platform.dataplane;

import java.time.Duration;

/**
 * For how long nothing may come.
 *
 * @param auth of a WebSocket before the frame that brings its token
 * @param body of a request whose body is waited for; then the answer is 408
 * @param silent of a WebSocket's client, before it is pinged
 * @param gone of a client that was pinged, before it is cut
 */
record RelayTimeouts(Duration auth, Duration body, Duration silent, Duration gone) {

  /** What the platform uses. */
  static final RelayTimeouts USUAL =
      new RelayTimeouts(
          Duration.ofSeconds(5),
          Duration.ofSeconds(60),
          Duration.ofSeconds(30),
          Duration.ofSeconds(90));
}
