package dev.sandboxer.tck;

/** The promises of the package {@code dev.sandboxer.spi}, by their numbers. */
enum Promise {
  THREADS(1, "threads"),
  CONTEXT_CLASS_LOADER(2, "context class loader"),
  DEADLINE(3, "deadline and cancellation"),
  IDENTITY(4, "identity"),
  IDEMPOTENCY(5, "idempotency"),
  OUTCOMES(6, "outcomes"),
  REFUSAL(7, "refusal instead of dropping"),
  ALWAYS_ALLOWED(8, "always allowed"),
  FOREIGN_OBJECTS(9, "foreign objects"),
  DESCRIPTION(10, "description"),
  READINESS(11, "readiness"),
  INSPECTION(12, "inspection"),
  INVENTORY(13, "inventory"),
  REGISTRY_LOGINS(14, "registry logins");

  private final int number;
  private final String title;

  Promise(int number, String title) {
    this.number = number;
    this.title = title;
  }

  /** The failure of a check: what was seen, and what to do about it. */
  AssertionError broken(String seen, String remedy) {
    return new AssertionError(
        "promise %d (%s) is broken: %s%n  what to do: %s".formatted(number, title, seen, remedy));
  }

  void require(boolean kept, String seen, String remedy) {
    if (!kept) {
      throw broken(seen, remedy);
    }
  }
}
