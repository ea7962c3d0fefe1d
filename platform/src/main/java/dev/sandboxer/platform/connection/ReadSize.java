package dev.sandboxer.platform.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * How much is read from a connection at once: little while nobody takes a body, since Vert.x keeps
 * up to some ten reads of a paused request, and as much as comes while somebody does. Used on the
 * connection's event loop.
 */
final class ReadSize extends RecvByteBufAllocator.DelegatingHandle
    implements RecvByteBufAllocator.ExtendedHandle {

  private static final int SMALL = 2048;

  private final RecvByteBufAllocator.ExtendedHandle usual;
  private boolean small = true;

  ReadSize() {
    this((RecvByteBufAllocator.ExtendedHandle) new AdaptiveRecvByteBufAllocator().newHandle());
  }

  private ReadSize(RecvByteBufAllocator.ExtendedHandle usual) {
    super(usual);
    this.usual = usual;
  }

  void small(boolean now) {
    small = now;
  }

  @Override
  public int guess() {
    return small ? Math.min(SMALL, usual.guess()) : usual.guess();
  }

  @Override
  public ByteBuf allocate(ByteBufAllocator allocator) {
    return small ? allocator.ioBuffer(guess()) : usual.allocate(allocator);
  }

  @Override
  public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
    return usual.continueReading(maybeMoreData);
  }
}
