package dev.sandboxer.testing.faulty;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.ByteStreamOpener;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Streams of an extension, over a socket that it hides.
 *
 * @param server where it connects
 * @param maxStreams at once
 */
public record SocketOpener(SocketAddress server, int maxStreams) implements ByteStreamOpener {

  @Override
  public ByteStream open(Call call) throws ExtensionException {
    try {
      return new SocketBytes(SocketChannel.open(server));
    } catch (IOException e) {
      throw new ExtensionException(ErrorCode.UNAVAILABLE, "nothing listens at " + server);
    }
  }

  private record SocketBytes(SocketChannel channel) implements ByteStream {

    @Override
    public int read(ByteBuffer target) throws IOException {
      return channel.read(target);
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
      while (source.hasRemaining()) {
        channel.write(source);
      }
    }

    @Override
    public boolean closeOutput() throws IOException {
      channel.shutdownOutput();
      return true;
    }

    @Override
    public void close() {
      try {
        channel.close();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }
}
