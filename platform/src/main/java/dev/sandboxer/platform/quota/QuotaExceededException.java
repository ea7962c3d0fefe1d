package dev.sandboxer.platform.quota;

/** A tenant holds as many sandboxes as it may. */
public class QuotaExceededException extends Exception {

  private static final long serialVersionUID = 1L;

  QuotaExceededException(long held, int limit) {
    super(
        "the tenant holds "
            + held
            + " sandboxes and may hold "
            + limit
            + "; delete one or ask the operator for a higher limit");
  }
}
