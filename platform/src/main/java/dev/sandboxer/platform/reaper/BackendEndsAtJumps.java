package dev.sandboxer.platform.reaper;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.OffsetDateTime;
import org.jdbi.v3.core.Handle;

/** After a jump nobody knows when backends end their sandboxes: they are asked again at once. */
@ApplicationScoped
class BackendEndsAtJumps implements TimedEnds {

  private static final String FORGET =
      """
      update attempt set provider_until = null, renewal_due_at = null, renewal_claim_until = null
      where cleanup is null and provider_until is not null
      """;

  /** Nothing to end: the backends do. */
  @Override
  public void pass(OffsetDateTime now) {}

  @Override
  public void shift(Handle open, double seconds) {
    open.execute(FORGET);
  }
}
