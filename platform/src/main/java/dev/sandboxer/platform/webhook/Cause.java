package dev.sandboxer.platform.webhook;

import java.util.Locale;

/** Why something was sent. */
enum Cause {
  /** It happened. */
  EVENT,
  /** Somebody wanted to try the receiver. */
  TEST,
  /** Somebody wanted it again. */
  REPLAY;

  String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
