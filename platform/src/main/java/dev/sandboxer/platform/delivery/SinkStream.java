package dev.sandboxer.platform.delivery;

/**
 * A claimed backlog: what one sink still wants of one subject.
 *
 * @param sinkId receiver
 * @param subject a sandbox's or tenant's public id
 * @param nextSeq first event that it has not got
 * @param headSeq last event there was when it was claimed
 * @param attempts failed tries of the next event
 * @param claimToken demanded by each write of the claim's holder
 * @param others whether the receiver took something of others, after it had failed, since the last
 *     failed try of the next event
 * @param failing whether the receiver's last try failed
 */
public record SinkStream(
    String sinkId,
    String subject,
    long nextSeq,
    long headSeq,
    int attempts,
    long claimToken,
    boolean others,
    boolean failing) {

  /** Which try of an event this is, from 1: only the next one may have been tried before. */
  int attemptAt(long seq) {
    return seq == nextSeq ? attempts + 1 : 1;
  }
}
