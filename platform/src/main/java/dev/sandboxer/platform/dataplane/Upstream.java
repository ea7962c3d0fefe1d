package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.Exchange;
import dev.sandboxer.platform.dataplane.wire.ReplyHandler;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.UnixHttpClient;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenMinter;
import dev.sandboxer.spi.DataplaneAddress;
import io.vertx.core.Handler;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The way to boxd, with a token of the relay's own. */
final class Upstream {

  private final UnixHttpClient client;
  private final TokenMinter minter;

  Upstream(UnixHttpClient client, TokenMinter minter) {
    this.client = client;
    this.minter = minter;
  }

  /** What kind of address cannot be relayed to yet; empty if this one can. */
  static Optional<String> unsupported(Target target) {
    return switch (target.address()) {
      case DataplaneAddress.UnixSocket socket -> Optional.empty();
      case DataplaneAddress.HttpsBase base -> Optional.of("an HTTPS address");
      case DataplaneAddress.Streams opened -> Optional.of("opened streams");
    };
  }

  /** Begins a request's head. */
  RequestHead head(
      String method, String uri, Target target, @Nullable Capability capability, String requestId)
      throws WireException {
    RequestHead head = new RequestHead(method, uri);
    head.header(RequestId.HEADER, requestId);
    if (capability != null) {
      String token = minter.relay(target.sandboxId(), target.generation(), capability).value();
      head.header("Authorization", "Bearer " + token);
    }
    return head;
  }

  /** As {@link UnixHttpClient#begin}; the target's address must be supported. */
  void begin(
      Target target,
      RequestHead head,
      ReplyHandler reply,
      Handler<Exchange> opened,
      Handler<WireException> failed) {
    if (target.address() instanceof DataplaneAddress.UnixSocket socket) {
      Endpoint endpoint = new Endpoint(target.sandboxId(), target.generation(), socket.path());
      client.begin(endpoint, head, reply, opened, failed);
    } else {
      failed.handle(new WireException("its address cannot be relayed to yet"));
    }
  }
}
