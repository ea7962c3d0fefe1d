package dev.sandboxer.platform.problem;

import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One error as a caller sees it: RFC 9457 problem+json with the session protocol's {@code error}
 * member inside.
 *
 * @param code what went wrong
 * @param status HTTP status, the code's own but for {@link #noCandidateNow}
 * @param detail for a person: what was wrong, with what value, what to do; no secrets
 * @param retryable whether the same request may succeed later
 * @param members further members of the body, such as {@code sandbox_id} or {@code example}
 */
public record Problem(
    ErrorCode code, int status, String detail, boolean retryable, Map<String, Object> members) {

  /** The body's content type. */
  public static final String MEDIA_TYPE = "application/problem+json";

  private static final int SERVICE_UNAVAILABLE = 503;
  private static final String RETRY_AFTER_SECONDS = "retry_after_seconds";

  /** Keeps an immutable copy. */
  public Problem {
    members = Map.copyOf(members);
  }

  /**
   * A problem with the code's own status.
   *
   * @param code what went wrong
   * @param detail for a person
   * @return the problem
   */
  public static Problem of(ErrorCode code, String detail) {
    return new Problem(code, code.status(), detail, code.retryable(), Map.of());
  }

  /**
   * No backend can run it now, but one may later: NO_CANDIDATE with 503.
   *
   * @param detail for a person
   * @return the problem
   */
  public static Problem noCandidateNow(String detail) {
    return new Problem(ErrorCode.NO_CANDIDATE, SERVICE_UNAVAILABLE, detail, true, Map.of());
  }

  /**
   * Adds a member to the body.
   *
   * @param name in snake_case, none of the body's own names
   * @param value text, number, boolean, list or map
   * @return a copy with it
   */
  public Problem with(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(members);
    more.put(name, value);
    return new Problem(code, status, detail, retryable, more);
  }

  /**
   * The same with the time after which a repetition may succeed.
   *
   * @param seconds at least 1
   * @return a copy whose reply says so, in {@code Retry-After} and in the body
   */
  public Problem after(int seconds) {
    return with(RETRY_AFTER_SECONDS, seconds);
  }

  /**
   * Header fields that belong to the status (RFC 9110): how to authenticate, when to try again.
   *
   * @return names and values
   */
  public Map<String, String> headers() {
    if (code == ErrorCode.UNAUTHENTICATED) {
      return Map.of("WWW-Authenticate", "Bearer realm=\"sandboxer\"");
    }
    Object seconds = members.getOrDefault(RETRY_AFTER_SECONDS, code.retryAfterSeconds());
    return seconds.equals(0) ? Map.of() : Map.of("Retry-After", seconds.toString());
  }

  /**
   * The body, for a JSON writer such as Jackson's.
   *
   * @param requestId of the reply's X-Request-Id
   * @return members in the order in which they are shown
   */
  public Map<String, Object> body(String requestId) {
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("code", code.name());
    error.put("message", detail);
    error.put("retryable", retryable);
    error.put("request_id", requestId);
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("type", "urn:sandboxer:problem:" + code.name().toLowerCase(Locale.ROOT));
    body.put("title", code.title());
    body.put("status", status);
    body.put("detail", detail);
    body.put("error", error);
    members.forEach(body::putIfAbsent);
    return body;
  }

  /**
   * The body as text, for Vert.x.
   *
   * @param requestId of the reply's X-Request-Id
   * @return JSON
   */
  public String json(String requestId) {
    return new JsonObject(body(requestId)).encode();
  }
}
