package dev.sandboxer.platform.egress;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the programs of a sandbox have moved since its way out was opened.
 *
 * @param since when that was
 * @param hosts at most a hundred, those with the most bytes first
 * @param others all further hosts together
 */
public record EgressFigures(Instant since, List<HostFigures> hosts, Figures others) {

  /** Keeps an immutable copy. */
  public EgressFigures {
    hosts = List.copyOf(hosts);
  }

  /**
   * All hosts together.
   *
   * @return the sums
   */
  public Figures total() {
    return Stream.concat(hosts.stream().map(HostFigures::figures), Stream.of(others))
        .reduce(new Figures(0, 0, 0, 0), Figures::plus);
  }

  /**
   * One host.
   *
   * @param host name or address
   * @param port of it
   * @param figures of both
   */
  public record HostFigures(String host, int port, Figures figures) {}

  /**
   * Figures of some hosts.
   *
   * @param connections that were made
   * @param denied connections that were refused
   * @param sentBytes by programs
   * @param receivedBytes by programs
   */
  public record Figures(long connections, long denied, long sentBytes, long receivedBytes) {

    long bytes() {
      return sentBytes + receivedBytes;
    }

    private Figures plus(Figures other) {
      return new Figures(
          connections + other.connections,
          denied + other.denied,
          sentBytes + other.sentBytes,
          receivedBytes + other.receivedBytes);
    }
  }
}
