package dev.sandboxer.platform.token;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Locale;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Writes revocations. Each takes the next epoch of one sequence; tokens whose epoch is lower count
 * no more. Nodes read them by {@link RevocationEpochs}.
 */
@ApplicationScoped
public class Revocations {

  /** Of what. */
  public enum Kind {
    SESSION,
    SANDBOX,
    TENANT,
    KEY,
    ALL;

    /**
     * The name in the database.
     *
     * @return lower case
     */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    static @Nullable Kind of(@Nullable String text) {
      return text == null ? null : valueOf(text.toUpperCase(Locale.ROOT));
    }
  }

  private static final String REVOKE =
      """
      insert into revocation (scope, id, min_epoch) values (:scope, :id, nextval('revocation_epoch'))
      on conflict (scope, id) do update
        set min_epoch = greatest(revocation.min_epoch, excluded.min_epoch),
        created_at = clock_timestamp(), xid = pg_current_xact_id()
      returning min_epoch
      """;

  /**
   * Ends all tokens of something that were minted so far.
   *
   * @param open the transaction with the cause
   * @param kind of what
   * @param id of it, a raw one for sandboxes, empty for {@link Kind#ALL}
   * @return the epoch that tokens must have now
   */
  public long revoke(Handle open, Kind kind, String id) {
    return open.createQuery(REVOKE)
        .bind("scope", kind.text())
        .bind("id", id)
        .mapTo(Long.class)
        .one();
  }
}
