package dev.sandboxer.platform.audit;

import dev.sandboxer.platform.database.Unavailability;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells a row that will never be taken from a database that does not take any row now. */
final class RefusedRow {

  private static final int DEEPEST = 20;

  /**
   * Classes of SQLSTATE in which another try, or another hand on the database, helps: a read-only
   * standby, a rollback, missing rights or tables, no resources, a lock, an operator, the system.
   */
  private static final Set<String> PASSING = Set.of("25", "28", "40", "42", "53", "55", "57", "58");

  private RefusedRow() {}

  static boolean is(Throwable thrown) {
    String state = state(thrown);
    return state != null
        && state.length() > 2
        && !PASSING.contains(state.substring(0, 2))
        && Unavailability.of(thrown).isEmpty();
  }

  /** The reason that the database gave, null if none. */
  static @Nullable String state(Throwable thrown) {
    @Nullable Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (cause instanceof SQLException sql) {
        return sql.getSQLState();
      }
      cause = cause.getCause();
    }
    return null;
  }
}
