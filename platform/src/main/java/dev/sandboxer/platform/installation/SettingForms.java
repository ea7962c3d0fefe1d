package dev.sandboxer.platform.installation;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Currency;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the forms that a setting may have; a wrong text is told with what would be right. */
final class SettingForms {

  private static final Pattern DOMAIN =
      Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*");
  private static final Duration MAX_SPAN = Duration.ofDays(36_500);
  private static final Pattern LOOPBACK = Pattern.compile("localhost|\\[::1]|127(\\.\\d{1,3}){3}");
  private static final Pattern SPAN = Pattern.compile("[0-9]{1,9}[smhd]");

  private static final int DNS_PORT = 53;

  private SettingForms() {}

  static boolean yesOrNo(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("it must be true or false");
    };
  }

  static Duration wholeSeconds(String text, int most) {
    int seconds = Integer.parseInt(text);
    if (seconds < 1 || seconds > most) {
      throw new IllegalArgumentException("it must be a whole number from 1 to " + most);
    }
    return Duration.ofSeconds(seconds);
  }

  static Duration span(String text) {
    if (!SPAN.matcher(text).matches()) {
      throw new IllegalArgumentException("it must be a number and s, m, h or d, such as 30d");
    }
    long count = Long.parseLong(text.substring(0, text.length() - 1));
    Duration span =
        switch (text.charAt(text.length() - 1)) {
          case 'd' -> Duration.ofDays(count);
          case 'h' -> Duration.ofHours(count);
          case 'm' -> Duration.ofMinutes(count);
          default -> Duration.ofSeconds(count);
        };
    if (span.isZero() || span.compareTo(MAX_SPAN) > 0) {
      throw new IllegalArgumentException("it must be from 1s to 36500d");
    }
    return span;
  }

  static String domain(String text) {
    if (!DOMAIN.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "it must be a domain in lower case, such as ports.example.com");
    }
    return text;
  }

  static String currency(String text) {
    boolean known =
        Currency.getAvailableCurrencies().stream()
            .anyMatch(currency -> currency.getCurrencyCode().equals(text));
    if (!known) {
      throw new IllegalArgumentException("it must be a code of ISO 4217 such as EUR");
    }
    return text;
  }

  /** An address with or without a port; names would need a name server themselves. */
  static InetSocketAddress nameServer(String text) {
    int colon = text.lastIndexOf(':');
    boolean port =
        colon > text.lastIndexOf(']') && (text.startsWith("[") || text.indexOf(':') == colon);
    try {
      String address = port ? text.substring(0, colon) : text;
      boolean brackets = address.startsWith("[") && address.endsWith("]");
      return new InetSocketAddress(
          InetAddress.ofLiteral(brackets ? address.substring(1, address.length() - 1) : address),
          port ? Integer.parseInt(text.substring(colon + 1)) : DNS_PORT);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'%s' must be an address, with a port if that is not 53, such as 10.0.0.2:5353"
              .formatted(text),
          e);
    }
  }

  static URI httpUrl(String text) {
    URI url = URI.create(text);
    @Nullable String scheme = url.getScheme();
    if (url.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
      throw new IllegalArgumentException("it must be a URL, such as https://sandboxes.example.com");
    }
    return url;
  }

  static URI internalUrl(String text) {
    URI url = httpUrl(text);
    boolean bare = url.getRawPath().isEmpty() && url.getRawQuery() == null;
    boolean here = LOOPBACK.matcher(url.getHost()).matches();
    if (!bare || (url.getScheme().equals("http") && !here)) {
      throw new IllegalArgumentException(
          "it must be https://HOST[:PORT], or http on this machine alone, such as"
              + " https://node-1.example.com:8420");
    }
    return url;
  }
}
