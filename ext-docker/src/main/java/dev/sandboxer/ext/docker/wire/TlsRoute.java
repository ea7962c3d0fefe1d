package dev.sandboxer.ext.docker.wire;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * A port that is spoken to by TLS, with certificates on both sides.
 *
 * @param host name or IP address, which the Engine's certificate must have
 * @param port there
 * @param identity our certificate, and the authorities that we accept
 */
public record TlsRoute(String host, int port, TlsIdentity identity) implements EngineRoute {

  /** Nobody answers. */
  private static final String CONNECT = "connect";

  /** One side does not know the other. */
  private static final String TLS = "tls";

  private static final Duration MOST = Duration.ofSeconds(10);
  private static final int IDLE_SECONDS = 15;
  private static final int INTERVAL_SECONDS = 5;
  private static final int QUESTIONS = 3;
  private static final int MAX_CAUSES = 10;

  /** The second is said of another authority of the same name. */
  private static final Pattern UNSIGNED =
      Pattern.compile(".*(path building failed|signature check failed).*");

  @Override
  public String name() {
    return "tcp://" + authority();
  }

  private String authority() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }

  @Override
  public List<String> steps() {
    return List.of(CONNECT, TLS);
  }

  @Override
  public ByteStream open(Call call) {
    Socket raw = new Socket();
    boolean[] over = {false};
    call.onCancel(
        () -> {
          if (!over[0]) {
            TlsStream.close(raw);
          }
        });
    try {
      return connected(raw, (int) Math.clamp(call.remaining().toMillis(), 1, MOST.toMillis()));
    } catch (EngineUnreachableException e) {
      TlsStream.close(raw);
      throw call.cancelled()
          ? noWay(e.step(), ErrorCode.UNAVAILABLE, "the call to %s was cancelled", null)
          : e;
    } finally {
      over[0] = true;
    }
  }

  private ByteStream connected(Socket raw, int millis) {
    connect(raw, millis);
    SSLSocketFactory factory = identity.sockets();
    try {
      SSLSocket tls = (SSLSocket) factory.createSocket(raw, host, port, true);
      SSLParameters parameters = tls.getSSLParameters();
      parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      tls.setSSLParameters(parameters);
      raw.setSoTimeout(millis);
      tls.startHandshake();
      raw.setSoTimeout(0);
      return new TlsStream(this, raw, tls);
    } catch (IOException e) {
      throw handshake(e);
    }
  }

  private void connect(Socket raw, int millis) {
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw noWay(CONNECT, ErrorCode.UNAVAILABLE, "the name of %s is not known", null);
    }
    try {
      raw.connect(address, millis);
      raw.setTcpNoDelay(true);
      raw.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      raw.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, IDLE_SECONDS);
      raw.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, INTERVAL_SECONDS);
      raw.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, QUESTIONS);
    } catch (IOException e) {
      throw noWay(CONNECT, ErrorCode.UNAVAILABLE, "nobody answers at %s: " + said(e), e);
    }
  }

  private EngineUnreachableException handshake(IOException e) {
    Optional<String> distrust = distrust(e);
    if (distrust.isPresent()) {
      return noWay(
          TLS,
          ErrorCode.AUTHORIZATION,
          "the certificate that %s shows is not accepted: " + distrust.get(),
          e);
    }
    if (TlsStream.refused(e)) {
      return refusal(e);
    }
    if (e instanceof SocketException) {
      return closed(e, false);
    }
    if (e instanceof SocketTimeoutException) {
      return noWay(TLS, ErrorCode.UNAVAILABLE, "what listens at %s does not answer to TLS", e);
    }
    return noWay(
        TLS,
        ErrorCode.UNAVAILABLE,
        "there is no TLS with %s: "
            + said(e)
            + "; an Engine must listen there with --tlsverify, plain TCP is never used",
        e);
  }

  /** What is wrong with the server's certificate. */
  private static Optional<String> distrust(IOException e) {
    Optional<String> why = Optional.empty();
    Throwable cause = e;
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
      if (cause instanceof CertificateException) {
        why =
            Optional.of(
                UNSIGNED.matcher(said(e)).matches()
                    ? "it is not signed by settings.ca_file"
                    : said(cause));
      }
      cause = cause.getCause();
    }
    return why;
  }

  /**
   * A server that refuses us closes at once, and its reason may be lost with that.
   *
   * @param sent whether it may have been something else, which had an effect
   */
  EngineUnreachableException closed(IOException e, boolean sent) {
    return EngineUnreachableException.noWay(
        TLS,
        sent,
        ErrorCode.UNAVAILABLE,
        "%s closed the connection without an answer (%s), as one does that refuses our certificate, settings.certificate_file"
            .formatted(authority(), said(e)),
        e);
  }

  /** The server does not take our certificate; with TLS 1.3 it says so after the handshake. */
  EngineUnreachableException refusal(IOException e) {
    return noWay(
        TLS,
        ErrorCode.AUTHORIZATION,
        "%s refuses our certificate, settings.certificate_file: " + said(e),
        e);
  }

  private EngineUnreachableException noWay(
      String step, ErrorCode code, String message, @Nullable IOException cause) {
    return EngineUnreachableException.noWay(step, code, message.replace("%s", authority()), cause);
  }

  private static String said(Throwable e) {
    return String.valueOf(e.getMessage()).replaceAll("\\p{Cntrl}", " ");
  }
}
