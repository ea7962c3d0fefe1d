package dev.sandboxer.cli.dataplane;

/**
 * Finds the way out among the keys: {@code ~.} at the beginning of a line hangs up, {@code ~~} is
 * one tilde, as in ssh.
 */
final class EscapeKeys {
  private static final byte TILDE = '~';

  private boolean lineBegins = true;
  private boolean held;
  private boolean hungUp;

  /** What of {@code keys} goes on; a tilde that begins a line is held back until the next key. */
  byte[] pass(byte[] keys, int count) {
    byte[] passed = new byte[count + 1];
    int size = 0;
    for (int at = 0; at < count && !hungUp; at++) {
      byte key = keys[at];
      if (held) {
        held = false;
        if (key == '.') {
          hungUp = true;
          continue;
        }
        passed[size++] = TILDE;
        if (key == TILDE) {
          lineBegins = false;
          continue;
        }
      } else if (key == TILDE && lineBegins) {
        held = true;
        continue;
      }
      passed[size++] = key;
      lineBegins = key == '\r' || key == '\n';
    }
    return java.util.Arrays.copyOf(passed, size);
  }

  /** Whether the way out was asked for. */
  boolean hungUp() {
    return hungUp;
  }
}
