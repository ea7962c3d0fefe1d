package dev.sandboxer.platform.problem;

import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The id of a request: on its reply, its log lines and its audit row. No secret. */
public final class RequestId {

  /** Request and reply header. */
  public static final String HEADER = "X-Request-Id";

  private static final String KEY = RequestId.class.getName();
  private static final int MAX_LENGTH = 128;
  private static final int MADE_LENGTH = 20;
  private static final char[] ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789".toCharArray();

  private RequestId() {}

  /**
   * The id of this request: the caller's, if it has 1 to 128 of {@code [A-Za-z0-9._-]}, else a new
   * one. The same on each call, and set on the reply.
   *
   * @param context of the request
   * @return the id
   */
  public static String of(RoutingContext context) {
    String known = context.get(KEY);
    if (known != null) {
      return known;
    }
    String id = takeOrMake(context.request().getHeader(HEADER));
    context.put(KEY, id);
    context.response().putHeader(HEADER, id);
    return id;
  }

  /**
   * Takes a caller's id or makes one.
   *
   * @param offered by the caller, null if none
   * @return it, if it is sane, else {@code req_} and 20 characters
   */
  public static String takeOrMake(@Nullable String offered) {
    return offered != null && sane(offered) ? offered : make();
  }

  private static boolean sane(String id) {
    return !id.isEmpty() && id.length() <= MAX_LENGTH && id.chars().allMatch(RequestId::allowed);
  }

  private static boolean allowed(int c) {
    return c < 128 && (Character.isLetterOrDigit(c) || "._-".indexOf(c) >= 0);
  }

  private static String make() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    StringBuilder id = new StringBuilder("req_");
    for (int i = 0; i < MADE_LENGTH; i++) {
      id.append(ALPHABET[random.nextInt(ALPHABET.length)]);
    }
    return id.toString();
  }
}
