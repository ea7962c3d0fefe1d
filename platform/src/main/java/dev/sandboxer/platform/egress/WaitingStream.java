package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.dataplane.wire.Exchange;
import dev.sandboxer.platform.dataplane.wire.ReplyHandler;
import dev.sandboxer.platform.dataplane.wire.ReplyHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.dataplane.wire.WireStream;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/** A stream to boxd that nobody inside uses yet. */
final class WaitingStream implements ReplyHandler {

  static final String PROTOCOL = "sandboxer-egress";
  private static final int SWITCHED = 101;

  private final WayOut out;
  private @Nullable Exchange exchange;
  private @Nullable WireStream stream;
  private boolean over;

  WaitingStream(WayOut out) {
    this.out = out;
  }

  void begin() {
    try {
      out.boxd().open(this, this::asked, this::failed);
    } catch (WireException e) {
      failed(e);
    }
  }

  private void asked(Exchange now) {
    exchange = now;
    if (over) {
      now.abort();
    } else {
      now.endRequest();
    }
  }

  @Override
  public void head(ReplyHead head, boolean hasBody) {
    Exchange now = exchange;
    if (over || now == null) {
      return;
    }
    if (head.status() != SWITCHED || !PROTOCOL.equals(head.first("upgrade"))) {
      now.abort();
      failed(new WireException("it answered with status " + head.status()));
      return;
    }
    Exchange.Tunnel tunnel = now.detach();
    if (tunnel.first().length() > 0) {
      used(tunnel.stream(), tunnel.first());
      return;
    }
    stream = tunnel.stream();
    stream.handler(first -> used(tunnel.stream(), first));
    stream.exceptionHandler(_ -> {});
    stream.endHandler(_ -> failed(new WireException("it closed the stream")));
    stream.resume();
    out.opened();
  }

  private void used(WireStream opened, Buffer first) {
    if (over) {
      return;
    }
    over = true;
    opened.pause();
    ProxySession session = new ProxySession(opened, out, first);
    out.used(this, session);
    session.begin(first);
  }

  @Override
  public void body(Buffer part, boolean last) {}

  @Override
  public void end() {
    failed(new WireException("it refuses the stream"));
  }

  @Override
  public void failed(WireException cause) {
    if (!over) {
      over = true;
      out.failed(this, cause);
    }
  }

  void cut() {
    over = true;
    WireStream open = stream;
    Exchange now = exchange;
    if (open != null) {
      open.cut();
    } else if (now != null) {
      now.abort();
    }
  }
}
