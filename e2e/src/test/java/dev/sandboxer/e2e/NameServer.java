package dev.sandboxer.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A name server that knows every name, and says of each that it is at one address (RFC 1035). */
final class NameServer implements AutoCloseable {

  private static final int HEAD = 12;
  private static final short ANSWER = (short) 0x8180;
  private static final short TYPE_A = 1;
  private static final short NAME_OF_QUESTION = (short) 0xC00C;

  private final DatagramSocket socket;
  private final InetAddress everywhere;

  /** One that leads to this machine's loopback. */
  NameServer() throws IOException {
    this(InetAddress.getLoopbackAddress());
  }

  /** One that leads to an IPv4 address. */
  NameServer(InetAddress everywhere) throws IOException {
    this.everywhere = everywhere;
    socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Thread.ofPlatform().daemon().name("names").start(this::serve);
  }

  int port() {
    return socket.getLocalPort();
  }

  private void serve() {
    try {
      while (true) {
        DatagramPacket packet = new DatagramPacket(new byte[512], 512);
        socket.receive(packet);
        ByteBuffer reply = reply(ByteBuffer.wrap(packet.getData(), 0, packet.getLength()));
        socket.send(new DatagramPacket(reply.array(), reply.position(), packet.getSocketAddress()));
      }
    } catch (IOException e) {
      if (!socket.isClosed()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The one question, and an address where an IPv4 address is asked for. */
  private ByteBuffer reply(ByteBuffer query) {
    int end = HEAD;
    while (query.get(end) != 0) {
      end += query.get(end) + 1;
    }
    end += 5;
    boolean address = query.getShort(end - 4) == TYPE_A;
    ByteBuffer reply = ByteBuffer.allocate(512);
    byte[] question = new byte[end - HEAD];
    query.get(HEAD, question);
    reply.putShort(query.getShort(0)).putShort(ANSWER).putShort((short) 1);
    reply.putShort((short) (address ? 1 : 0)).putInt(0);
    reply.put(question);
    if (address) {
      reply.putShort(NAME_OF_QUESTION).putShort(TYPE_A).putShort((short) 1).putInt(1);
      reply.putShort((short) 4).put(everywhere.getAddress());
    }
    return reply;
  }

  @Override
  public void close() {
    socket.close();
  }
}
