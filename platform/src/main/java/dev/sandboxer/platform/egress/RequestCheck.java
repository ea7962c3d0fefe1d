package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.address.HostName;
import dev.sandboxer.platform.egress.Handshake.MalformedException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.Optional;

/**
 * What a request in an intercepted connection must be. Its target is left in the form that goes to
 * the host.
 *
 * @param rules with its methods
 * @param host of the connection
 * @param port of it
 * @param tls whether it is in TLS
 * @param secret whether something is added that must not come back
 */
record RequestCheck(EgressRules rules, HostName host, int port, boolean tls, boolean secret) {

  /**
   * Why a request is not passed on.
   *
   * @param status for the program
   * @param message for a person
   * @param denied the host that was wanted, if the rules are the cause
   */
  record Refused(HttpResponseStatus status, String message, Optional<HostName> denied) {

    static Refused malformed(String message) {
      return new Refused(HttpResponseStatus.BAD_REQUEST, message, Optional.empty());
    }
  }

  /** Whether something is wrong with a request. */
  Optional<Refused> refused(HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      return malformed("this is no request in HTTP/1.1");
    }
    if (!request.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
      return Optional.of(
          new Refused(
              HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED,
              "requests to %s must be HTTP/1.1".formatted(host.text()),
              Optional.empty()));
    }
    if (request.method().equals(HttpMethod.CONNECT)) {
      return malformed("CONNECT within a connection to %s".formatted(host.text()));
    }
    return framing(request.headers()).or(() -> target(request)).or(() -> method(request));
  }

  private static Optional<Refused> malformed(String message) {
    return Optional.of(Refused.malformed(message));
  }

  /** As little as two servers might read in two ways. */
  private static Optional<Refused> framing(HttpHeaders headers) {
    List<String> codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
    int lengths = headers.getAll(HttpHeaderNames.CONTENT_LENGTH).size();
    boolean chunked =
        codings.size() == 1 && HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.getFirst());
    return lengths + codings.size() > 1 || (!codings.isEmpty() && !chunked)
        ? malformed("a request of doubtful length")
        : Optional.empty();
  }

  private Optional<Refused> target(HttpRequest request) {
    List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
    if (hosts.size() != 1) {
      return malformed("a request must have one header Host");
    }
    String uri = request.uri();
    if (uri.chars().anyMatch(c -> c <= ' ' || c >= 0x7f)) {
      return malformed("a request's target must be ASCII");
    }
    try {
      Optional<Refused> other = other(hosts.getFirst());
      String scheme = tls ? "https://" : "http://";
      if (other.isPresent() || uri.startsWith("/") || isOfServer(request)) {
        return other;
      }
      if (!uri.regionMatches(true, 0, scheme, 0, scheme.length())) {
        return malformed("'%.100s' is no target of a request".formatted(uri));
      }
      int path = scheme.length();
      while (path < uri.length() && "/?#".indexOf(uri.charAt(path)) < 0) {
        path++;
      }
      other = other(uri.substring(scheme.length(), path));
      String rest = uri.substring(path);
      request.setUri(rest.startsWith("/") ? rest : "/" + rest);
      return other;
    } catch (MalformedException e) {
      return malformed(e.reason());
    }
  }

  private static boolean isOfServer(HttpRequest request) {
    return request.uri().equals("*") && request.method().equals(HttpMethod.OPTIONS);
  }

  /** Whether it names another host or port than the connection has. */
  private Optional<Refused> other(String text) throws MalformedException {
    Authority authority = Authority.parse(text, tls ? 443 : 80);
    Optional<HostName> named = HostName.parse(authority.host());
    boolean noPort = authority.host().equals(authority.shown());
    if (named.filter(host::equals).isPresent() && (noPort || authority.port() == port)) {
      return Optional.empty();
    }
    return Optional.of(
        new Refused(
            HttpResponseStatus.MISDIRECTED_REQUEST,
            "a connection to %s:%d was allowed, and a request in it names '%.100s'"
                .formatted(host.text(), port, text),
            Optional.of(named.orElse(host))));
  }

  private Optional<Refused> method(HttpRequest request) {
    String method = request.method().name();
    if (secret && request.method().equals(HttpMethod.TRACE)) {
      return Optional.of(
          new Refused(
              HttpResponseStatus.FORBIDDEN,
              "TRACE would show a secret that is added",
              Optional.empty()));
    }
    return rules
        .methods(host, port)
        .filter(allowed -> !allowed.contains(method))
        .map(
            _ ->
                new Refused(
                    HttpResponseStatus.FORBIDDEN,
                    rules.refusal(host, port, method),
                    Optional.of(host)));
  }
}
