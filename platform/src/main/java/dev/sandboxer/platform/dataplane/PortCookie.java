package dev.sandboxer.platform.dataplane;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The cookie that carries a browser's pass for a port. It is host-only and HttpOnly; what runs on
 * the port never sees it, and cannot set one of its name.
 */
final class PortCookie {

  private static final String PLAIN = "sandboxer-port";
  private static final String SECURE = "__Host-" + PLAIN;

  private final List<String> passes = new ArrayList<>();
  private final List<String> others = new ArrayList<>();

  private PortCookie(HttpServerRequest request) {
    for (String header : request.headers().getAll(HttpHeaders.COOKIE)) {
      for (String pair : header.split(";", -1)) {
        take(pair.strip());
      }
    }
  }

  /** Takes a request's cookies apart. */
  static PortCookie of(HttpServerRequest request) {
    return new PortCookie(request);
  }

  /** Values of our cookie. Another port's page may have set more of them, for a wider domain. */
  List<String> passes() {
    return passes;
  }

  /** What is the application's own, as one header value; empty if there is none. */
  String others() {
    return String.join("; ", others);
  }

  static String set(String pass, boolean encrypted, Duration life) {
    return (encrypted ? SECURE : PLAIN)
        + "="
        + pass
        + "; Path=/; HttpOnly; SameSite=Lax; Max-Age="
        + life.toSeconds()
        + (encrypted ? "; Secure" : "");
  }

  /** A Set-Cookie of the application, for its own host alone; empty if it may not be set. */
  static String narrowed(String cookie) {
    String[] parts = cookie.split(";", -1);
    if (ours(parts[0])) {
      return "";
    }
    StringBuilder narrowed = new StringBuilder(parts[0].strip());
    for (int i = 1; i < parts.length; i++) {
      if (!name(parts[i]).toLowerCase(Locale.ROOT).equals("domain")) {
        narrowed.append("; ").append(parts[i].strip());
      }
    }
    return narrowed.toString();
  }

  private void take(String pair) {
    if (ours(pair)) {
      passes.add(pair.substring(pair.indexOf('=') + 1).strip());
    } else if (!pair.isEmpty()) {
      others.add(pair);
    }
  }

  private static boolean ours(String pair) {
    String name = name(pair);
    return name.equalsIgnoreCase(PLAIN) || name.equalsIgnoreCase(SECURE);
  }

  private static String name(String pair) {
    int equals = pair.indexOf('=');
    return (equals < 0 ? pair : pair.substring(0, equals)).strip();
  }
}
