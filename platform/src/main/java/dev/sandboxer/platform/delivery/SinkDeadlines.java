package dev.sandboxer.platform.delivery;

import dev.sandboxer.platform.reaper.TimedEnds;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.OffsetDateTime;
import org.jdbi.v3.core.Handle;

/**
 * Keeps deliveries going when the wall clock jumps. After a jump back nothing waits for a time that
 * comes a second time; after one ahead no other node takes what is being sent, and pauses are over
 * early, which costs a try. What was written since the jump cannot be told apart and must lose
 * nothing by this.
 */
@ApplicationScoped
class SinkDeadlines implements TimedEnds {

  private static final String SINKS_BACK =
      """
      update sink
      set due_at = greatest(clock_timestamp(), due_at + make_interval(secs => :seconds))
      where due_at > clock_timestamp()
      """;

  /** Those at their end too: they are due once more comes. */
  private static final String STREAMS_BACK =
      """
      update sink_stream
      set due_at = greatest(clock_timestamp(), due_at + make_interval(secs => :seconds))
      where due_at > clock_timestamp()
      """;

  private static final String CLAIMS_BACK =
      """
      update sink_stream set claim_until = clock_timestamp() + make_interval(secs => :claim)
      where claim_until > clock_timestamp() + make_interval(secs => :claim)
      """;

  private static final String CLAIMS_AHEAD =
      """
      update sink_stream set claim_until = least(claim_until + make_interval(secs => :seconds),
        clock_timestamp() + make_interval(secs => :claim))
      where claim_until <= clock_timestamp()
        and claim_until > clock_timestamp() - make_interval(secs => :seconds)
      """;

  /** Who delivers looks at what is due. */
  @Override
  public void pass(OffsetDateTime now) {}

  @Override
  public void shift(Handle open, double seconds) {
    long claim = SinkStreams.CLAIM.toSeconds();
    if (seconds > 0) {
      open.createUpdate(CLAIMS_AHEAD).bind("seconds", seconds).bind("claim", claim).execute();
      return;
    }
    open.createUpdate(SINKS_BACK).bind("seconds", seconds).execute();
    open.createUpdate(STREAMS_BACK).bind("seconds", seconds).execute();
    open.createUpdate(CLAIMS_BACK).bind("claim", claim).execute();
  }
}
