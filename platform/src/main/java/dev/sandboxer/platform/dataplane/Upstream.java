package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.Exchange;
import dev.sandboxer.platform.dataplane.wire.ReplyHandler;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenMinter;
import io.vertx.core.Handler;
import org.jspecify.annotations.Nullable;

/** The way to boxd, with a token of the relay's own. */
final class Upstream {

  private final WireClient client;
  private final TokenMinter minter;
  private final DataplaneTargets targets;

  Upstream(WireClient client, TokenMinter minter, DataplaneTargets targets) {
    this.client = client;
    this.minter = minter;
    this.targets = targets;
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

  /** As {@link WireClient#begin}. */
  void begin(
      Target target,
      RequestHead head,
      ReplyHandler reply,
      Handler<Exchange> opened,
      Handler<WireException> failed) {
    client.begin(
        new Endpoint(target.sandboxId(), target.generation(), target.transport()),
        head,
        reply,
        opened,
        cause -> {
          targets.lost(target);
          failed.handle(cause);
        });
  }
}
