package dev.sandboxer.platform.problem;

import static dev.sandboxer.platform.problem.Category.ACCESS;
import static dev.sandboxer.platform.problem.Category.BACKEND;
import static dev.sandboxer.platform.problem.Category.LIMIT;
import static dev.sandboxer.platform.problem.Category.PLATFORM;
import static dev.sandboxer.platform.problem.Category.REQUEST;
import static dev.sandboxer.platform.problem.Category.STATE;

/** Every code that a reply may carry. The constant's name is the code on the wire. */
public enum ErrorCode {
  /** A field or parameter is malformed, unknown or out of range. */
  VALIDATION(400, REQUEST, "The request is not valid", false),
  /** No credentials, or bad ones. */
  UNAUTHENTICATED(401, ACCESS, "Valid credentials are needed", false),
  /** The caller's role, origin or scope does not allow this. */
  FORBIDDEN(403, ACCESS, "This is not allowed", false),
  /** The token lacks the capability that the route wants. */
  CAPABILITY_DENIED(403, ACCESS, "The token lacks a capability", false),
  /** Nothing is there that the caller may see. */
  NOT_FOUND(404, REQUEST, "Not found", false),
  /** No session, or another tenant's. */
  SESSION_NOT_FOUND(404, REQUEST, "Session not found", false),
  /** No binding, or another tenant's. */
  BINDING_NOT_FOUND(404, REQUEST, "Binding not found", false),
  /** The route does not take this method. */
  METHOD_NOT_ALLOWED(405, REQUEST, "Method not allowed", false),
  /** The request's body stood still. */
  REQUEST_TIMEOUT(408, LIMIT, "The request came too slowly", true),
  /** The state does not allow this. */
  INVALID_STATE(409, STATE, "Not possible in this state", false),
  /** The sandbox runs without boxd. */
  NO_DATAPLANE(409, STATE, "The sandbox has no dataplane", false),
  /** The scope already has another session. */
  SESSION_CONFLICT(409, STATE, "Another session holds the scope", false),
  /** The scope is already bound otherwise. */
  BINDING_CONFLICT(409, STATE, "Another binding holds the scope", false),
  /** The scope's living box differs from the request. */
  BOX_CONFLICT(409, STATE, "The living box differs", false),
  /** A sandbox has the volume. */
  VOLUME_IN_USE(409, STATE, "The volume is in use", false),
  /** The session has ended. */
  SESSION_EXPIRED(410, STATE, "The session has ended", false),
  /** The generation named in If-Match is not the present one. */
  GENERATION_CONFLICT(412, STATE, "Another generation is present", false),
  /** The body is larger than allowed. */
  TOO_LARGE(413, REQUEST, "The request is too large", false),
  /** The content type is not taken here. */
  UNSUPPORTED_MEDIA_TYPE(415, REQUEST, "Content type not supported", false),
  /** The same Idempotency-Key came with another body. */
  IDEMPOTENCY_KEY_REUSED(422, REQUEST, "Idempotency-Key used with another body", false),
  /** No backend can ever run this; {@link Problem#noCandidateNow} where one may later. */
  NO_CANDIDATE(422, BACKEND, "No backend can run this", false),
  /** A backend cannot do what was asked. */
  UNSUPPORTED(422, BACKEND, "The backend does not support this", false),
  /** The sandbox is not ready yet. */
  SANDBOX_STARTING(423, STATE, "The sandbox is starting", true),
  /** If-Match is missing. */
  PRECONDITION_REQUIRED(428, REQUEST, "A precondition is required", false),
  /** Too many requests. */
  RATE_LIMITED(429, LIMIT, "Too many requests", true),
  /** The tenant's quota is used up. */
  QUOTA_EXCEEDED(429, LIMIT, "The quota is used up", true),
  /** A defect of the platform. */
  INTERNAL(500, PLATFORM, "Internal error", false),
  /** boxd does not answer, or not as it must. */
  SANDBOX_UNREACHABLE(502, BACKEND, "The sandbox cannot be reached", true),
  /** The backend refuses the platform's credentials. */
  AUTHORIZATION(502, BACKEND, "The backend refused the platform", false),
  /** The image could not be fetched. */
  IMAGE_PULL(502, BACKEND, "The image cannot be fetched", false),
  /** The sandbox ended by itself. */
  CRASH(502, BACKEND, "The sandbox ended by itself", false),
  /** The sandbox ended for lack of memory. */
  OOM(502, BACKEND, "The sandbox ran out of memory", false),
  /** The platform has no room for this request now. */
  OVERLOADED(503, LIMIT, "The platform is busy", true),
  /** The database does not answer. */
  DATABASE_UNAVAILABLE(503, PLATFORM, "The database is not available", true),
  /** No provider answers (grant shape). */
  PROVIDER_UNAVAILABLE(503, BACKEND, "No provider is available", true),
  /** No backend answers (binding shape). */
  BACKEND_UNAVAILABLE(503, BACKEND, "No backend is available", true),
  /** The backend has no room. */
  CAPACITY(503, BACKEND, "The backend has no room", true),
  /** The backend's own quota is used up. */
  QUOTA(503, BACKEND, "The backend's quota is used up", true),
  /** The backend does not answer. */
  UNAVAILABLE(503, BACKEND, "The backend does not answer", true),
  /** The sandbox did not become ready in time. */
  TIMEOUT(504, BACKEND, "Not ready in time", true),
  /** No space is left. */
  STORAGE_FULL(507, LIMIT, "No space is left", false);

  private final int status;
  private final Category category;
  private final String title;
  private final boolean retryable;

  ErrorCode(int status, Category category, String title, boolean retryable) {
    this.status = status;
    this.category = category;
    this.title = title;
    this.retryable = retryable;
  }

  /**
   * The code for a backend's failure.
   *
   * @param failure as the extension typed it
   * @return the constant of the same name
   */
  public static ErrorCode of(dev.sandboxer.spi.ErrorCode failure) {
    return valueOf(failure.name());
  }

  /**
   * The HTTP status.
   *
   * @return 400 to 599
   */
  public int status() {
    return status;
  }

  /**
   * Whose turn it is.
   *
   * @return the category
   */
  public Category category() {
    return category;
  }

  /**
   * A short summary that is the same for each occurrence.
   *
   * @return for a person
   */
  public String title() {
    return title;
  }

  /**
   * When a repetition is worth a try, where nothing more is known.
   *
   * @return in seconds, 0 where nothing can be said
   */
  int retryAfterSeconds() {
    return switch (this) {
      case SANDBOX_STARTING -> 1;
      case OVERLOADED, UNAVAILABLE -> 5;
      default -> 0;
    };
  }

  /**
   * Whether the same request may succeed later.
   *
   * @return the default for {@link Problem}
   */
  public boolean retryable() {
    return retryable;
  }
}
