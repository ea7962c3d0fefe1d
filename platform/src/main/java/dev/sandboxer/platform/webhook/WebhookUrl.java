package dev.sandboxer.platform.webhook;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a webhook is sent to, taken apart.
 *
 * @param https false for plain HTTP
 * @param host name or literal address
 * @param port given, else the scheme's
 * @param target path and query
 */
record WebhookUrl(boolean https, String host, int port, String target) {

  private static final int LONGEST = 2048;
  private static final Pattern NUMBER_AT_END =
      Pattern.compile("(.*\\.)?([0-9]+|0[xX][0-9a-fA-F]*)\\.?");
  private static final Pattern DOTTED = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
  private static final int HTTPS = 443;
  private static final int HTTP = 80;

  /**
   * Reads a URL.
   *
   * @throws IllegalArgumentException for a person, if it is none that can be a webhook's
   */
  static WebhookUrl parse(String text) {
    URI uri = uri(text);
    @Nullable String scheme = uri.getScheme();
    @Nullable String host = uri.getHost();
    boolean https = "https".equals(scheme);
    if (host == null || isOddNumber(host) || !(https || "http".equals(scheme))) {
      throw new IllegalArgumentException("it must be such as https://example.com/hook");
    }
    if (uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
      throw new IllegalArgumentException("it must have neither user and password nor a fragment");
    }
    int port = uri.getPort() == -1 ? https ? HTTPS : HTTP : uri.getPort();
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("its port must be 1 to 65535");
    }
    return new WebhookUrl(https, host, port, target(uri));
  }

  /** A number such as 2130706433 or 0x7f.1, which some take for an address. */
  private static boolean isOddNumber(String host) {
    return NUMBER_AT_END.matcher(host).matches() && !DOTTED.matcher(host).matches();
  }

  private static URI uri(String text) {
    if (text.length() > LONGEST || !text.matches("[\\x21-\\x7e]+")) {
      throw new IllegalArgumentException(
          "it must be at most %d visible ASCII characters".formatted(LONGEST));
    }
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("it must be such as https://example.com/hook", e);
    }
  }

  private static String target(URI uri) {
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
  }

  /** Whether scheme and port are those that every webhook may have. */
  boolean ordinary() {
    return https && port == HTTPS;
  }
}
