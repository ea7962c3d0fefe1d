package dev.sandboxer.platform.database;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A character that PostgreSQL keeps in no text: a statement with one fails, whatever it asks. */
public final class NulCharacter {

  private static final int DEEPEST = 20;
  private static final String CHARACTER_NOT_IN_REPERTOIRE = "22021";

  private NulCharacter() {}

  /**
   * Looks for a statement that was refused for it among an exception's causes.
   *
   * @param thrown by anything that used the database
   * @return false if it was something else
   */
  public static boolean isCauseOf(Throwable thrown) {
    @Nullable Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (cause instanceof SQLException sql
          && CHARACTER_NOT_IN_REPERTOIRE.equals(sql.getSQLState())) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }
}
