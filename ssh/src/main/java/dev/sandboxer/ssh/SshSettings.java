package dev.sandboxer.ssh;

import java.time.Duration;

/**
 * Bounds of the connections to one machine.
 *
 * @param connections how many there may be
 * @param streams how many streams each carries
 * @param commands how many commands run on each at once; sshd's own limit, MaxSessions, is 10
 * @param windowBytes how much a stream holds that nobody reads
 * @param connectTimeout how long a login may take at most
 * @param keepAlive how often the server is asked whether it is there; whole seconds
 * @param missedAnswers after how many unanswered ones the connection counts as lost
 */
public record SshSettings(
    int connections,
    int streams,
    int commands,
    int windowBytes,
    Duration connectTimeout,
    Duration keepAlive,
    int missedAnswers) {

  /** For most machines. */
  public static final SshSettings DEFAULT =
      new SshSettings(4, 256, 8, 512 * 1024, Duration.ofSeconds(20), Duration.ofSeconds(5), 3);

  /** Checks the bounds. */
  public SshSettings {
    if (connections < 1 || streams < 1 || commands < 1 || missedAnswers < 1) {
      throw new IllegalArgumentException("each bound must be at least 1");
    }
    if (windowBytes < 64 * 1024 || keepAlive.toSeconds() < 1 || !connectTimeout.isPositive()) {
      throw new IllegalArgumentException("a window of 64 KiB, a second of keep-alive is the least");
    }
  }

  /**
   * How many streams to one machine may be open at once.
   *
   * @return over all connections
   */
  public int maxStreams() {
    return connections * streams;
  }

  /**
   * How long a dead connection may go unnoticed.
   *
   * @return the time of all unanswered questions
   */
  public Duration patience() {
    return keepAlive.multipliedBy(missedAnswers);
  }
}
