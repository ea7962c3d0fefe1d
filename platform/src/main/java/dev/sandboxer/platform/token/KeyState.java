package dev.sandboxer.platform.token;

import java.util.Locale;

/** Where a key stands in its rotation. All but retired ones are published and checked. */
enum KeyState {
  /** Published, signs later. */
  NEXT,
  /** Signs. */
  CURRENT,
  /** Signs no more; its tokens still count. */
  PREVIOUS,
  /** Counts no more. */
  RETIRED;

  String column() {
    return name().toLowerCase(Locale.ROOT);
  }

  static KeyState of(String column) {
    return valueOf(column.toUpperCase(Locale.ROOT));
  }
}
