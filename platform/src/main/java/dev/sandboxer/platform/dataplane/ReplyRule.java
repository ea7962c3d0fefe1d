package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.ReplyHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.http.HttpServerResponse;

/** What of a reply's head reaches the client. */
interface ReplyRule {

  /** Refuses what boxd never says; it becomes a bad gateway. */
  void check(ReplyHead head) throws WireException;

  /** Passes what may pass, and adds what is ours; not the framing. */
  void write(ReplyHead head, HttpServerResponse response);
}
