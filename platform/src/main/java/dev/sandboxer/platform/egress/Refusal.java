package dev.sandboxer.platform.egress;

/**
 * Why a program is not connected.
 *
 * @param kind for programs
 * @param message for a person
 */
record Refusal(Kind kind, String message) {

  /** The causes that both protocols distinguish. */
  enum Kind {
    MALFORMED,
    FORBIDDEN,
    UNREACHABLE
  }
}
