package dev.sandboxer.platform.dataplane.wire;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import java.nio.charset.StandardCharsets;

/**
 * Asks another node for a stream to a boxd that only that node reaches: an HTTP/1.1 upgrade (RFC
 * 9110, section 7.8) under a token, after which the connection is the stream.
 */
final class PeerConnector {

  private static final int CONNECT_MILLIS = 5_000;

  /** The other node may have to ask an extension again. */
  private static final long ANSWER_MILLIS = 40_000;

  private static final int SWITCHING = 101;

  private final Vertx vertx;
  private final PeerTokens tokens;
  private final NetClient plain;
  private final NetClient encrypted;

  /**
   * Makes a connector.
   *
   * @param vertx with the native transport
   * @param tokens to show
   * @param encrypted for nodes that speak TLS
   */
  PeerConnector(Vertx vertx, PeerTokens tokens, NetClient encrypted) {
    this.vertx = vertx;
    this.tokens = tokens;
    this.encrypted = encrypted;
    this.plain =
        vertx.createNetClient(
            new NetClientOptions().setConnectTimeout(CONNECT_MILLIS).setTcpKeepAlive(true));
  }

  /** Runs on the event loop, and so do both handlers. */
  void connect(
      Endpoint endpoint,
      Transport.Peer to,
      Handler<WireStream> opened,
      Handler<WireException> failed) {
    NetClient client = to.encrypted() ? encrypted : plain;
    client
        .connect(to.port(), to.host())
        .onFailure(
            cause ->
                failed.handle(new WireException(node(to) + " does not answer: " + reason(cause))))
        .onSuccess(socket -> new Asking(endpoint, to, socket, opened, failed).begin());
  }

  private static String node(Transport.Peer to) {
    return "its node '" + to.node() + "' at " + to.url();
  }

  private static String reason(Throwable cause) {
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }

  /** One request for a stream. Answers once. */
  private final class Asking implements ReplyHandler {

    private final Endpoint endpoint;
    private final Transport.Peer to;
    private final SocketStream stream;
    private final Handler<WireStream> opened;
    private final Handler<WireException> failed;
    private final ReplyReader reader = new ReplyReader(this, false, true);
    private final long timer;
    private boolean answered;

    private Asking(
        Endpoint endpoint,
        Transport.Peer to,
        NetSocket socket,
        Handler<WireStream> opened,
        Handler<WireException> failed) {
      this.endpoint = endpoint;
      this.to = to;
      this.stream = new SocketStream(vertx, socket);
      this.opened = opened;
      this.failed = failed;
      this.timer = vertx.setTimer(ANSWER_MILLIS, fired -> refuse("did not answer in time"));
    }

    private void begin() {
      stream.handler(this::received);
      stream.exceptionHandler(failure -> refuse("broke the connection off"));
      stream.endHandler(ended -> refuse("closed the connection"));
      stream.write(request());
    }

    private Buffer request() {
      String token = tokens.token(to.node(), endpoint.sandboxId(), endpoint.generation());
      String head =
          """
          GET %s HTTP/1.1
          Host: %s
          Connection: Upgrade
          Upgrade: %s
          Authorization: Bearer %s

          """
              .formatted(
                  PeerPath.of(endpoint.sandboxId(), endpoint.generation()),
                  to.url().getAuthority(),
                  PeerPath.PROTOCOL,
                  token);
      return Buffer.buffer(head.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    private void received(Buffer data) {
      try {
        reader.feed(data);
      } catch (WireException e) {
        refuse("answered with " + e.reason());
      }
    }

    @Override
    public void head(ReplyHead head, boolean hasBody) {
      if (head.status() != SWITCHING) {
        refuse("answered with status " + head.status());
      } else if (reader.rest().length() > 0) {
        refuse("spoke before it was asked");
      } else if (!answered) {
        answered();
        opened.handle(stream);
      }
    }

    @Override
    public void body(Buffer part, boolean last) {}

    @Override
    public void end() {}

    @Override
    public void failed(WireException cause) {
      refuse("answered with " + cause.reason());
    }

    private void refuse(String what) {
      if (!answered) {
        answered();
        stream.cut();
        failed.handle(new WireException(node(to) + " " + what));
      }
    }

    private void answered() {
      answered = true;
      vertx.cancelTimer(timer);
    }
  }
}
