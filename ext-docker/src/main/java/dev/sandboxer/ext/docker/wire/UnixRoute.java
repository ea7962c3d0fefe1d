package dev.sandboxer.ext.docker.wire;

import dev.sandboxer.ext.docker.wire.EngineUnreachableException.Kind;
import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.Call;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A Unix socket of this machine.
 *
 * @param socket its path
 */
public record UnixRoute(Path socket) implements EngineRoute {

  @Override
  public String name() {
    return socket.toString();
  }

  @Override
  public List<String> steps() {
    return List.of();
  }

  @Override
  public ByteStream open(Call call) {
    return open();
  }

  /**
   * Connects, which takes no time.
   *
   * @return an open stream
   */
  public ByteStream open() {
    try {
      SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
      try {
        channel.connect(UnixDomainSocketAddress.of(socket));
        return new UnixStream(channel);
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new EngineUnreachableException(reason(e), false, e.toString(), e);
    }
  }

  private Kind reason(IOException failure) {
    if (String.valueOf(failure.getMessage()).contains("Permission denied")) {
      return Kind.FORBIDDEN;
    }
    return Files.exists(socket) ? Kind.REFUSED : Kind.MISSING;
  }

  private record UnixStream(SocketChannel channel) implements ByteStream {

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
        // There is nothing left to do with it.
      }
    }
  }
}
