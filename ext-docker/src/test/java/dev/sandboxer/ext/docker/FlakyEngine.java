package dev.sandboxer.ext.docker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A socket in front of the real Engine that fails at one request, in a chosen way. */
final class FlakyEngine implements AutoCloseable {
  private static final Pattern LENGTH = Pattern.compile("(?i)content-length: *([0-9]+)");

  /** What goes wrong. */
  enum Fault {
    /** The Engine never gets the request. */
    CUT_BEFORE,
    /** The Engine does it, and its answer is lost. */
    CUT_AFTER,
    /** The answer ends in its middle. */
    HALF_AN_ANSWER,
    /** The Engine never gets the request, and the connection stays open. */
    STALL_BEFORE,
    /** The Engine does it, and says nothing more. */
    STALL_AFTER,
    /** Something else than HTTP. */
    GARBAGE,
    /** An answer of the test's own. */
    REFUSE,
    /** The world is another one while the Engine does it. */
    SWAPPED
  }

  private final Path socket;
  private final Path real;
  private final ServerSocketChannel server;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<SocketChannel> open = new CopyOnWriteArrayList<>();
  private final CountDownLatch reached = new CountDownLatch(1);
  private volatile Pattern at = Pattern.compile("never");
  private volatile int countdown;
  private volatile Fault fault = Fault.CUT_BEFORE;
  private volatile String refusal = "";
  private volatile Runnable before = () -> {};
  private volatile Runnable after = () -> {};

  FlakyEngine(Path socket, Path real) throws IOException {
    this.socket = socket;
    this.real = real;
    this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    Thread.ofVirtual().start(this::accept);
  }

  /** Fails at the n-th request (from 1) whose first line matches. */
  FlakyEngine failAt(String firstLine, int nth, Fault how) {
    at = Pattern.compile(firstLine);
    countdown = nth;
    fault = how;
    return this;
  }

  FlakyEngine refuseAt(String firstLine, int status, String message) {
    refusal =
        "HTTP/1.1 "
            + status
            + " Refused\r\nContent-Type: application/json\r\n\r\n{\"message\":\""
            + message
            + "\"}";
    return failAt(firstLine, 1, Fault.REFUSE);
  }

  /** Does something before the Engine gets the request, and something once it has answered. */
  FlakyEngine around(String firstLine, Runnable first, Runnable last) {
    before = first;
    after = last;
    return failAt(firstLine, 1, Fault.SWAPPED);
  }

  /** What {@link Fault#REFUSE} answers. */
  void answer(String whole) {
    refusal = whole;
  }

  /** Lets go whoever waits for a request that never came. */
  void release() {
    reached.countDown();
  }

  List<String> requests() {
    return requests;
  }

  CountDownLatch reached() {
    return reached;
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel client = server.accept();
        open.add(client);
        Thread.ofVirtual().start(() -> serve(client));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void serve(SocketChannel client) {
    try (client) {
      byte[] request = request(client);
      String line = new String(request, StandardCharsets.ISO_8859_1).split("\r\n", 2)[0];
      requests.add(line);
      if (!fails(line)) {
        write(client, ask(request));
        return;
      }
      if (fault != Fault.STALL_AFTER) {
        reached.countDown();
      }
      switch (fault) {
        case CUT_BEFORE -> {}
        case CUT_AFTER -> ask(request);
        case HALF_AN_ANSWER -> {
          byte[] answer = ask(request);
          write(client, java.util.Arrays.copyOf(answer, answer.length / 2));
        }
        case STALL_BEFORE -> stall(client);
        case STALL_AFTER -> {
          ask(request);
          reached.countDown();
          stall(client);
        }
        case GARBAGE -> write(client, "SSH-2.0-OpenSSH\r\n".getBytes(StandardCharsets.US_ASCII));
        case SWAPPED -> {
          before.run();
          byte[] answer = ask(request);
          after.run();
          write(client, answer);
        }
        case REFUSE -> write(client, refusal.getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      // The client has gone.
    }
  }

  private synchronized boolean fails(String line) {
    if (!at.matcher(line).find()) {
      return false;
    }
    countdown--;
    return countdown == 0;
  }

  private static void stall(SocketChannel client) throws IOException {
    while (client.read(ByteBuffer.allocate(1)) >= 0) {
      Thread.onSpinWait();
    }
  }

  private byte[] ask(byte[] request) throws IOException {
    try (SocketChannel engine = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      engine.connect(UnixDomainSocketAddress.of(real));
      write(engine, request);
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      ByteBuffer buffer = ByteBuffer.allocate(8192);
      while (engine.read(buffer) >= 0) {
        answer.write(buffer.array(), 0, buffer.position());
        buffer.clear();
      }
      return answer.toByteArray();
    }
  }

  private static byte[] request(SocketChannel client) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    ByteBuffer buffer = ByteBuffer.allocate(8192);
    while (client.read(buffer) >= 0) {
      all.write(buffer.array(), 0, buffer.position());
      buffer.clear();
      String text = all.toString(StandardCharsets.ISO_8859_1);
      int end = text.indexOf("\r\n\r\n");
      if (end >= 0) {
        Matcher length = LENGTH.matcher(text.substring(0, end));
        int body = length.find() ? Integer.parseInt(length.group(1)) : 0;
        if (all.size() >= end + 4 + body) {
          break;
        }
      }
    }
    return all.toByteArray();
  }

  private static void write(SocketChannel channel, byte[] bytes) throws IOException {
    ByteBuffer source = ByteBuffer.wrap(bytes);
    while (source.hasRemaining()) {
      channel.write(source);
    }
  }

  @Override
  public void close() {
    try {
      server.close();
      for (SocketChannel channel : open) {
        channel.close();
      }
      Files.deleteIfExists(socket);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
