package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which names this platform answers to. A page of a foreign site whose name was bound anew to our
 * address is refused by its Host header.
 */
final class HostRule implements Handler<RoutingContext> {

  private static final Pattern ADDRESS = Pattern.compile("\\[[0-9a-f:.]+]|[0-9]+(\\.[0-9]+){3}");
  private static final Pattern ABSOLUTE =
      Pattern.compile("[a-z][a-z0-9+.-]*://([^/?#]*)", Pattern.CASE_INSENSITIVE);
  private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::", "[::]");

  private final Set<String> names;
  private final boolean anyAddress;
  private final Optional<URI> publicUrl;
  private final Set<String> origins;

  /**
   * Makes the rule.
   *
   * @param listen host that is listened on; for a wildcard every literal address is fine
   * @param publicUrl where clients reach the platform
   * @param internalUrl where other nodes reach it
   * @param origins further origins whose pages may call
   */
  HostRule(
      String listen, Optional<URI> publicUrl, Optional<URI> internalUrl, List<String> origins) {
    this.origins = Set.copyOf(origins);
    this.publicUrl = publicUrl;
    this.anyAddress = WILDCARDS.contains(listen);
    Set<String> all = new HashSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));
    all.add(listen.contains(":") && !listen.startsWith("[") ? "[" + listen + "]" : listen);
    publicUrl.ifPresent(url -> all.add(url.getHost().toLowerCase(Locale.ROOT)));
    internalUrl.ifPresent(url -> all.add(url.getHost().toLowerCase(Locale.ROOT)));
    this.names = Set.copyOf(all);
  }

  static HostRule of(Settings settings) {
    return new HostRule(
        settings.listen().host(),
        settings.publicUrl(),
        settings.internalUrl(),
        settings.list(Setting.SANDBOXER_CORS_ORIGINS));
  }

  @Override
  public void handle(RoutingContext context) {
    String host = context.request().getHeader(HttpHeaders.HOST);
    if (host != null && served(host) && target(context.request()).allMatch(this::served)) {
      context.next();
    } else {
      context.request().pause();
      Answers.problem(
          context,
          Problem.of(
              ErrorCode.FORBIDDEN,
              "this platform is not served under that Host; the operator can set"
                  + " SANDBOXER_PUBLIC_URL to its name"));
    }
  }

  /** The host of a target in absolute form, which counts more than the header (RFC 9112, 3.2.2). */
  private static Stream<String> target(HttpServerRequest request) {
    Matcher absolute = ABSOLUTE.matcher(String.valueOf(request.uri()));
    return absolute.lookingAt() ? Stream.of(absolute.group(1)) : Stream.empty();
  }

  boolean served(String host) {
    String name = name(host);
    return name != null
        && (names.contains(name) || (anyAddress && ADDRESS.matcher(name).matches()));
  }

  /** A page's origin: none, the same as asked for, the public URL's, or one of the list. */
  boolean originAllowed(HttpServerRequest request) {
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    return origin == null || originAllowed(request, origin);
  }

  boolean originAllowed(HttpServerRequest request, String origin) {
    String own = (request.isSSL() ? "https://" : "http://") + request.getHeader(HttpHeaders.HOST);
    return origin.equalsIgnoreCase(own)
        || origins.contains(origin)
        || publicUrl.map(HostRule::origin).filter(origin::equalsIgnoreCase).isPresent();
  }

  /** What lets pages of the listed origins read replies. */
  CrossOrigin pages() {
    return new CrossOrigin(origins);
  }

  private static String origin(URI url) {
    return url.getScheme() + "://" + url.getAuthority();
  }

  private static @Nullable String name(String host) {
    HostAndPort parsed = HostAndPort.parseAuthority(host, -1);
    return parsed == null ? null : parsed.host().toLowerCase(Locale.ROOT);
  }
}
