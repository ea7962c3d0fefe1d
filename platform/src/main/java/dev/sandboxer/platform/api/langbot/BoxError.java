package dev.sandboxer.platform.api.langbot;

/** A failure that the client shows as one of its own exceptions, by the class's name. */
final class BoxError extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final Kind kind;

  /** The client's exceptions. */
  enum Kind {
    VALIDATION("BoxValidationError"),
    SESSION_CONFLICT("BoxSessionConflictError"),
    SESSION_NOT_FOUND("BoxSessionNotFoundError"),
    PROCESS_NOT_FOUND("BoxManagedProcessNotFoundError"),
    PROCESS_CONFLICT("BoxManagedProcessConflictError"),
    BACKEND_UNAVAILABLE("BoxBackendUnavailableError"),
    CAPACITY_EXCEEDED("BoxCapacityExceededError"),
    ADMISSION("BoxAdmissionError"),
    READINESS("BoxReadinessError"),
    OTHER("BoxError");

    private final String className;

    Kind(String className) {
      this.className = className;
    }

    /** The name by which the client knows it. */
    String className() {
      return className;
    }
  }

  BoxError(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  static BoxError invalid(String message) {
    return new BoxError(Kind.VALIDATION, message);
  }

  static BoxError noSession(String sessionId) {
    return new BoxError(Kind.SESSION_NOT_FOUND, "session %s not found".formatted(sessionId));
  }

  static BoxError noProcess(String sessionId, String processId) {
    return new BoxError(
        Kind.PROCESS_NOT_FOUND,
        "session %s has no managed process with process_id=%s".formatted(sessionId, processId));
  }

  Kind kind() {
    return kind;
  }

  /** As it stands in a reply. */
  String text() {
    return kind.className() + ": " + getMessage();
  }
}
