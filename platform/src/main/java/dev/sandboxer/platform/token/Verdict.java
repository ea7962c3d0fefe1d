package dev.sandboxer.platform.token;

/** What became of a token's check. */
public sealed interface Verdict {

  /**
   * Good in itself; generation and epoch are compared with the sandbox by the caller, on each use.
   *
   * @param claims what it says
   */
  record Accepted(TokenClaims claims) implements Verdict {}

  /**
   * Not accepted. Callers see one same answer whatever the reason is.
   *
   * @param reason for the log, without any part of the token
   */
  record Refused(String reason) implements Verdict {}

  /**
   * Not looked at: too many bad tokens came from that address.
   *
   * @param retryAfterSeconds when one is looked at again
   */
  record TooMany(int retryAfterSeconds) implements Verdict {}
}
