package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.WireStream;
import dev.sandboxer.platform.token.TokenClaims;
import io.vertx.core.Context;
import io.vertx.core.net.NetSocket;

/**
 * A stream to boxd that another node uses: each side is fed with what the other says, no faster
 * than it takes it. It ends with the sandbox. Lives on the event loop of the node's connection.
 */
final class PeerPipe implements OpenStreams.OpenStream {

  private final NetSocket peer;
  private final ClientLine line;
  private final WireStream boxd;
  private final Target target;
  private final TokenClaims claims;
  private final OpenStreams streams;
  private final Context loop;
  private boolean over;

  private PeerPipe(
      Context loop,
      NetSocket peer,
      ClientLine line,
      WireStream boxd,
      Target target,
      TokenClaims claims,
      OpenStreams streams) {
    this.loop = loop;
    this.peer = peer;
    this.line = line;
    this.boxd = boxd;
    this.target = target;
    this.claims = claims;
    this.streams = streams;
  }

  /** Lets the bytes flow; {@code boxd} is paused. */
  static void begin(
      Context loop,
      NetSocket peer,
      ClientLine line,
      WireStream boxd,
      Target target,
      TokenClaims claims,
      OpenStreams streams) {
    PeerPipe pipe = new PeerPipe(loop, peer, line, boxd, target, claims, streams);
    line.takenOver();
    if (streams.add(pipe)) {
      pipe.flow();
    } else {
      boxd.cut();
      line.drop();
    }
  }

  private void flow() {
    peer.exceptionHandler(failure -> end());
    boxd.exceptionHandler(failure -> end());
    peer.endHandler(ended -> end());
    boxd.endHandler(ended -> end());
    peer.handler(
        data -> {
          boxd.write(data);
          if (boxd.writeQueueFull()) {
            peer.pause();
            boxd.drainHandler(drained -> peer.resume());
          }
        });
    boxd.handler(
        data -> {
          peer.write(data);
          if (peer.writeQueueFull()) {
            boxd.pause();
            peer.drainHandler(drained -> boxd.resume());
          }
        });
    boxd.resume();
    peer.resume();
  }

  @Override
  public Target target() {
    return target;
  }

  /** The other node cuts what a revocation is about. */
  @Override
  public TokenClaims claims() {
    return claims;
  }

  @Override
  public void cut() {
    loop.runOnContext(
        on -> {
          if (finished()) {
            boxd.cut();
            line.drop();
          }
        });
  }

  @Override
  public void watch() {}

  /** The other node tells its client. */
  @Override
  public void restart() {
    cut();
  }

  private void end() {
    if (finished()) {
      boxd.close();
      peer.close();
    }
  }

  private boolean finished() {
    if (over) {
      return false;
    }
    over = true;
    streams.remove(this);
    return true;
  }
}
