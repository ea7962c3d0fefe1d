package dev.sandboxer.testing.faulty;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.ByteStreamOpener;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Streams of an extension, over the socket that it hides. */
record SocketStreams(Path socket) implements ByteStreamOpener {

  private static final int MANY = 64;

  @Override
  public int maxStreams() {
    return MANY;
  }

  @Override
  public ByteStream open(Call call) throws ExtensionException {
    try {
      return new Bytes(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    } catch (IOException e) {
      throw new ExtensionException(ErrorCode.UNAVAILABLE, "nothing listens at " + socket);
    }
  }

  private record Bytes(SocketChannel channel) implements ByteStream {

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
        throw new UncheckedIOException(e);
      }
    }
  }
}
