package dev.sandboxer.platform.dataplane.wire;

import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.impl.ConnectionBase;

/** A Unix or TLS socket. */
final class SocketStream implements WireStream {

  static final long LINGER_MILLIS = 5_000;

  private final Vertx vertx;
  private final NetSocket socket;
  private final ChannelHandlerContext below;

  SocketStream(Vertx vertx, NetSocket socket) {
    this.vertx = vertx;
    this.socket = socket;
    this.below = ((ConnectionBase) socket).channelHandlerContext();
  }

  @Override
  public void handler(Handler<Buffer> data) {
    socket.handler(data);
  }

  @Override
  public void exceptionHandler(Handler<Throwable> failed) {
    socket.exceptionHandler(failed);
  }

  @Override
  public void endHandler(Handler<Void> ended) {
    // The end comes after all data, also where that waits for a slow reader; the close would not.
    socket.endHandler(ended);
  }

  @Override
  public void pause() {
    socket.pause();
  }

  @Override
  public void resume() {
    socket.resume();
  }

  @Override
  public void write(Buffer data) {
    socket.write(data);
  }

  @Override
  public boolean writeQueueFull() {
    return socket.writeQueueFull();
  }

  @Override
  public void drainHandler(Handler<Void> drained) {
    socket.drainHandler(drained);
  }

  @Override
  public void close() {
    Future<Void> closed = socket.close(); // waits for what was written
    if (!closed.isComplete()) {
      long timer = vertx.setTimer(LINGER_MILLIS, fired -> cut());
      closed.onComplete(done -> vertx.cancelTimer(timer));
    }
  }

  @Override
  public void cut() {
    // Below Vert.x, whose own close would wait for what was written.
    var _ = below.close();
  }
}
