package dev.sandboxer.ssh.wire;

import dev.sandboxer.spi.ByteStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A channel as the platform wants it. */
final class SshStream implements ByteStream {

  private static final int COPY = 32 * 1024;

  private final StreamChannel channel;

  SshStream(StreamChannel channel) {
    this.channel = channel;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return channel.read(target);
  }

  @Override
  public void write(ByteBuffer source) throws IOException {
    if (source.hasArray()) {
      channel.write(source.array(), source.arrayOffset() + source.position(), source.remaining());
      source.position(source.limit());
      return;
    }
    byte[] copy = new byte[Math.min(COPY, source.remaining())];
    while (source.hasRemaining()) {
      int part = Math.min(copy.length, source.remaining());
      source.get(copy, 0, part);
      channel.write(copy, 0, part);
    }
  }

  @Override
  public boolean closeOutput() throws IOException {
    channel.closeOutput();
    return true;
  }

  @Override
  public void close() {
    channel.cancel();
  }
}
