package dev.sandboxer.platform.database;

import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells failures of the database itself (it is away, starting, stopping, out of connections or of
 * disk) from failures of a statement.
 */
public enum Unavailability {
  /** It does not answer, or not in time; the same call may succeed soon. */
  AWAY,
  /** Its disk is full. */
  FULL;

  private static final int DEEPEST = 20;
  private static final Set<String> AWAY_STATES =
      Set.of("57P01", "57P02", "57P03", "57014", "53300");
  private static final Set<String> FULL_STATES = Set.of("53100");

  /**
   * Looks for a failure of the database among an exception's causes.
   *
   * @param thrown by anything that used the database
   * @return empty if it was something else
   */
  public static Optional<Unavailability> of(Throwable thrown) {
    @Nullable Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (cause instanceof SQLException sql && of(sql).isPresent()) {
        return of(sql);
      }
      cause = cause.getCause();
    }
    return Optional.empty();
  }

  private static Optional<Unavailability> of(SQLException e) {
    @Nullable String state = e.getSQLState();
    if (state == null) {
      // The pool itself gives no state, such as when no connection came in time.
      return Optional.of(AWAY);
    }
    if (FULL_STATES.contains(state)) {
      return Optional.of(FULL);
    }
    boolean away = state.startsWith("08") || AWAY_STATES.contains(state);
    return away ? Optional.of(AWAY) : Optional.empty();
  }
}
