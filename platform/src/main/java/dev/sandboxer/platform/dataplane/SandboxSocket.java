package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.Exchange;
import dev.sandboxer.platform.dataplane.wire.ReplyHandler;
import dev.sandboxer.platform.dataplane.wire.ReplyHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.dataplane.wire.WireStream;
import dev.sandboxer.platform.dataplane.ws.MaskedFrames;
import dev.sandboxer.platform.dataplane.ws.ServerMessages;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenClaims;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket of the platform's own to a sandbox's boxd, in frames of JSON. It lives on one event
 * loop; only {@link #cut} may be called elsewhere. It is use of the sandbox while it is open, and
 * is cut when that ends.
 */
public final class SandboxSocket
    implements ReplyHandler, ServerMessages.Sink, OpenStreams.OpenStream {

  private static final int SWITCHING = 101;
  private static final int MAX_REFUSAL_BYTES = 64 * 1024;
  private static final int MAX_FRAME_BYTES = 512 * 1024;

  private final Target target;
  private final TokenClaims claims;
  private final Upgrade upgrade;
  private final OpenStreams streams;
  private final DataplaneTargets targets;
  private final Context loop;
  private final Listener listener;
  private final ServerMessages messages = new ServerMessages(MAX_FRAME_BYTES, this);
  private final Buffer refusal = Buffer.buffer();
  private @Nullable Exchange exchange;
  private @Nullable WireStream stream;
  private long unreported;
  private boolean over;

  /** Takes what comes, on the event loop. What boxd says is hostile input. */
  public interface Listener {

    /**
     * The socket, before anything comes of it; called once, on the thread that opens it.
     *
     * @param socket not open yet
     */
    void opening(SandboxSocket socket);

    /**
     * A frame.
     *
     * @param frame a JSON object
     */
    void frame(JsonObject frame);

    /**
     * The end; nothing follows. Runs once.
     *
     * @param refusal boxd's code and message where it refused the WebSocket; empty otherwise
     * @param reason for a person
     */
    void ended(Optional<Answer> refusal, String reason);
  }

  SandboxSocket(
      Target target,
      Capability capability,
      Upgrade upgrade,
      OpenStreams streams,
      DataplaneTargets targets,
      Context loop,
      Listener listener) {
    this.target = target;
    this.claims = OpenCall.claims(target, capability);
    this.upgrade = upgrade;
    this.streams = streams;
    this.targets = targets;
    this.loop = loop;
    this.listener = listener;
  }

  void connected(Exchange opened) {
    if (over) {
      opened.abort();
      return;
    }
    exchange = opened;
    opened.endRequest();
  }

  @Override
  public void head(ReplyHead head, boolean hasBody) {
    if (over || head.status() != SWITCHING || exchange == null) {
      return;
    }
    try {
      upgrade.check(head);
    } catch (WireException e) {
      failed(e);
      return;
    }
    Exchange.Tunnel tunnel = exchange.detach();
    stream = tunnel.stream();
    stream.exceptionHandler(failure -> {});
    stream.endHandler(ended -> finish(Optional.empty(), "the sandbox closed the connection"));
    stream.handler(this::said);
    if (tunnel.first().length() > 0) {
      said(tunnel.first());
    }
    if (!over) {
      stream.resume();
    }
  }

  private void said(Buffer data) {
    if (over) {
      return;
    }
    unreported += data.length();
    try {
      messages.feed(data);
    } catch (WireException e) {
      finish(Optional.empty(), "the sandbox sent " + e.reason());
    }
  }

  @Override
  public void text(Buffer text) {
    if (over) {
      return;
    }
    Optional<JsonObject> frame = Answer.object(text);
    if (frame.isPresent()) {
      listener.frame(frame.get());
    } else {
      finish(Optional.empty(), "the sandbox sent something that is no frame");
    }
  }

  @Override
  public void ping(Buffer payload) {
    if (stream != null && !over) {
      stream.write(MaskedFrames.pong(payload));
    }
  }

  @Override
  public void closed() {
    finish(Optional.empty(), "the sandbox closed the connection");
  }

  /** A refusal's body; boxd says why in it. */
  @Override
  public void body(Buffer part, boolean last) {
    if (refusal.length() + part.length() <= MAX_REFUSAL_BYTES) {
      refusal.appendBuffer(part);
    }
  }

  @Override
  public void end() {
    finish(Optional.of(new Answer(400, refusal)), "the sandbox refused the WebSocket");
  }

  @Override
  public void failed(WireException cause) {
    finish(Optional.empty(), "the sandbox cannot be reached: " + cause.reason());
  }

  /**
   * Sends a frame.
   *
   * @param frame of the dataplane
   */
  public void send(JsonObject frame) {
    if (stream != null && !over) {
      Buffer text = frame.toBuffer();
      unreported += text.length();
      stream.write(MaskedFrames.text(text));
    }
  }

  /**
   * Whether what was sent waits in memory.
   *
   * @return true until {@link #drained} runs what it was given
   */
  public boolean writeQueueFull() {
    return stream != null && !over && stream.writeQueueFull();
  }

  /**
   * Runs something once there is room again.
   *
   * @param then on the event loop
   */
  public void drained(Runnable then) {
    if (stream != null && !over) {
      stream.drainHandler(on -> then.run());
    }
  }

  /** Holds back what comes, and so what is inside. */
  public void pause() {
    if (stream != null && !over) {
      stream.pause();
    }
  }

  /** Lets it come again. */
  public void resume() {
    if (stream != null && !over) {
      stream.resume();
    }
  }

  /** Ends it; the listener hears no more. Repeatable. */
  public void close() {
    if (!over) {
      leave();
      if (stream != null) {
        stream.write(MaskedFrames.close());
        stream.close();
      }
    }
  }

  private void finish(Optional<Answer> refused, String reason) {
    if (!over) {
      leave();
      if (stream != null) {
        stream.cut();
      }
      listener.ended(refused, reason);
    }
  }

  private void leave() {
    over = true;
    report();
    streams.remove(this);
    if (exchange != null && stream == null) {
      exchange.abort();
    }
  }

  private void report() {
    if (unreported > 0) {
      targets.moved(target, unreported);
      unreported = 0;
    }
  }

  @Override
  public Target target() {
    return target;
  }

  @Override
  public TokenClaims claims() {
    return claims;
  }

  @Override
  public void cut() {
    loop.runOnContext(on -> finish(Optional.empty(), "the sandbox has ended"));
  }

  @Override
  public void watch() {
    loop.runOnContext(on -> report());
  }
}
