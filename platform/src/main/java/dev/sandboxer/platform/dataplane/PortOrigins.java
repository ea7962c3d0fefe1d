package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.installation.Settings;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The web origins of ports, one each, below a domain of the operator's. */
final class PortOrigins {

  private static final int MAX_PORT = 65_535;
  private static final Pattern LABEL = Pattern.compile("p([1-9][0-9]{0,4})-([a-z][a-z0-9]{19})");

  private final String suffix;
  private final Optional<URI> publicUrl;

  /**
   * Makes the rule.
   *
   * @param domain such as {@code localhost}
   * @param publicUrl where clients reach the platform; its scheme and port count here too
   */
  PortOrigins(String domain, Optional<URI> publicUrl) {
    this.suffix = "." + domain;
    this.publicUrl = publicUrl;
  }

  static PortOrigins of(Settings settings) {
    return new PortOrigins(settings.portsDomain(), settings.publicUrl());
  }

  /** Which port a request's Host names; empty if it names none. */
  Optional<PortHost> named(HttpServerRequest request) {
    String host = request.getHeader(HttpHeaders.HOST);
    HostAndPort parsed = host == null ? null : HostAndPort.parseAuthority(host, -1);
    return parsed == null ? Optional.empty() : named(parsed.host().toLowerCase(Locale.ROOT));
  }

  private Optional<PortHost> named(String host) {
    if (!host.endsWith(suffix)) {
      return Optional.empty();
    }
    Matcher label = LABEL.matcher(host.substring(0, host.length() - suffix.length()));
    if (!label.matches() || Integer.parseInt(label.group(1)) > MAX_PORT) {
      return Optional.empty();
    }
    return Optional.of(
        new PortHost(Integer.parseInt(label.group(1)), new SandboxId(label.group(2))));
  }

  /**
   * The origin of a port, as the operator has set it and never as a Host says.
   *
   * @param request that came to the same listener
   */
  String origin(PortHost host, HttpServerRequest request) {
    String name = "p" + host.port() + "-" + host.sandboxId().raw() + suffix;
    String scheme = encrypted(request) ? "https" : "http";
    int port = publicUrl.map(URI::getPort).orElseGet(() -> request.localAddress().port());
    boolean usual = port < 0 || port == (encrypted(request) ? 443 : 80);
    return scheme + "://" + name + (usual ? "" : ":" + port);
  }

  /** Whether clients come by TLS. */
  boolean encrypted(HttpServerRequest request) {
    return publicUrl.map(url -> "https".equals(url.getScheme())).orElseGet(request::isSSL);
  }
}
