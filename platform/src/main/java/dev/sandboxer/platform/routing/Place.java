package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.host.Host;
import dev.sandboxer.platform.pricing.Quote;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.Limit;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A backend on a host, with all that routing knows of it.
 *
 * @param extension which
 * @param can what it can do, null if it is not loaded here: then nobody knows
 * @param host where
 * @param here whether this node reaches the host
 * @param position in the routing's list of candidates, from 0
 * @param notEnforced limits of the descriptor that this host cannot enforce
 * @param runtimes that a sandbox may ask for on this host, empty if nobody knows, or it asks for
 *     none
 * @param suspends whether sandboxes there can be suspended
 * @param failing whether creates there failed several times in a row just now
 * @param alike sandboxes there that this one is to be kept apart from
 * @param timeToReady of creates there lately, empty before there were enough
 * @param elsewhere why a volume of the sandbox is not there, empty if all are
 * @param distance as in {@link dev.sandboxer.spi.routing.Option#distance()}
 * @param quote for the time to live, empty if it was not asked for yet or nobody knows one
 * @param tooDear why it costs more than the sandbox may, or cannot be compared with that; null if
 *     it does not
 */
record Place(
    ExtensionId extension,
    @Nullable ExtensionDescriptor can,
    Host host,
    boolean here,
    int position,
    Set<Limit> notEnforced,
    Optional<Set<String>> runtimes,
    boolean suspends,
    boolean failing,
    int alike,
    Optional<Duration> timeToReady,
    Optional<String> elsewhere,
    int distance,
    Optional<Quote.Priced> quote,
    @Nullable String tooDear) {

  /** Keeps immutable copies. */
  Place {
    notEnforced = Set.copyOf(notEnforced);
    runtimes = runtimes.map(Set::copyOf);
  }

  /** The same with its price. */
  Place quoted(Optional<Quote.Priced> priced, @Nullable String why) {
    return new Place(
        extension,
        can,
        host,
        here,
        position,
        notEnforced,
        runtimes,
        suspends,
        failing,
        alike,
        timeToReady,
        elsewhere,
        distance,
        priced,
        why);
  }

  Candidate candidate() {
    return new Candidate(extension, host.ref());
  }
}
