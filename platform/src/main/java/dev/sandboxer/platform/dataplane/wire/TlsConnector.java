package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.spi.DataplaneAddress.Trust;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.TrustOptions;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManagerFactory;

/** Connects by TLS, and knows a server by its pinned key or by its name and the authorities. */
final class TlsConnector {

  private static final int CONNECT_MILLIS = 5_000;
  private static final int HANDSHAKE_SECONDS = 10;

  private final Vertx vertx;
  private final Pins pins;
  private final NetClient pinned;
  private final NetClient signed;

  /**
   * Makes a connector.
   *
   * @param vertx with the native transport
   * @param pins of boxds that speak TLS
   * @param authorities whose signatures count, empty for those that Java trusts
   */
  TlsConnector(Vertx vertx, Pins pins, Optional<TrustManagerFactory> authorities) {
    this.vertx = vertx;
    this.pins = pins;
    // Any certificate passes the handshake, which proves the key in it; check() looks at that key.
    this.pinned =
        vertx.createNetClient(
            options(Set.of("TLSv1.3")).setTrustAll(true).setHostnameVerificationAlgorithm(""));
    NetClientOptions checked =
        options(Set.of("TLSv1.2", "TLSv1.3")).setHostnameVerificationAlgorithm("HTTPS");
    authorities.ifPresent(all -> checked.setTrustOptions(TrustOptions.wrap(all)));
    this.signed = vertx.createNetClient(checked);
  }

  private static NetClientOptions options(Set<String> protocols) {
    return new NetClientOptions()
        .setSsl(true)
        .setEnabledSecureTransportProtocols(protocols)
        .setConnectTimeout(CONNECT_MILLIS)
        .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
        .setTcpKeepAlive(true);
  }

  /** Knows servers by their names and the authorities. */
  NetClient signed() {
    return signed;
  }

  /** Runs on the event loop, and so do both handlers. */
  void connect(
      Endpoint endpoint,
      Transport.Tls to,
      Handler<WireStream> opened,
      Handler<WireException> failed) {
    NetClient client = to.trust() == Trust.PINNED ? pinned : signed;
    client
        .connect(to.port(), to.host())
        .onFailure(cause -> failed.handle(new WireException(reason(cause))))
        .onSuccess(
            socket -> {
              if (to.trust() == Trust.PINNED && !known(socket, endpoint)) {
                new SocketStream(vertx, socket).cut();
                failed.handle(
                    new WireException("its certificate is another one than it was given"));
              } else {
                opened.handle(new SocketStream(vertx, socket));
              }
            });
  }

  private boolean known(NetSocket socket, Endpoint endpoint) {
    try {
      List<Certificate> shown = socket.peerCertificates();
      byte[] pin = pins.publicKey(endpoint.sandboxId(), endpoint.generation());
      return !shown.isEmpty()
          && MessageDigest.isEqual(shown.getFirst().getPublicKey().getEncoded(), pin);
    } catch (SSLPeerUnverifiedException e) {
      return false;
    }
  }

  private static String reason(Throwable cause) {
    boolean tls = cause instanceof SSLException || cause.getCause() instanceof SSLException;
    return tls ? "its TLS or its certificate was refused" : "it does not take connections";
  }
}
