package dev.sandboxer.ssh.wire;

import dev.sandboxer.spi.Call;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import net.schmizz.sshj.common.Message;
import net.schmizz.sshj.common.SSHException;
import net.schmizz.sshj.common.SSHPacket;
import net.schmizz.sshj.connection.Connection;
import net.schmizz.sshj.connection.ConnectionException;
import net.schmizz.sshj.connection.channel.ChannelInputStream;
import net.schmizz.sshj.connection.channel.OpenFailException;
import net.schmizz.sshj.connection.channel.direct.AbstractDirectChannel;
import net.schmizz.sshj.transport.TransportException;
import org.jspecify.annotations.Nullable;

/**
 * A channel whose writers wait as long as the other side does not read, and that can be cancelled
 * at any moment without waiting and without harm to the connection. sshd ends a connection on which
 * data or an end comes after a close, so the close waits for what is just being sent.
 */
abstract class StreamChannel extends AbstractDirectChannel {

  /** What sshj writes before a message: its length and that of the padding. */
  private static final int HEAD = 5;

  /** Room for that, the message's own fields, the padding, and the cipher's tag or a MAC. */
  private static final int AROUND = 128;

  private final Runnable onEnd;
  private final ReentrantLock writing = new ReentrantLock();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile boolean opening;
  private boolean opened;
  private boolean sending;
  private boolean outputEnded;
  private boolean peerClosed;
  private boolean closeStarted;
  private boolean ended;
  private volatile boolean cancelled;
  private volatile @Nullable SSHException failure;

  /**
   * Not open yet.
   *
   * @param onEnd runs once, when the server has no more of the channel; quick
   */
  StreamChannel(Connection connection, String type, Runnable onEnd) {
    super(connection, type);
    this.onEnd = onEnd;
  }

  /** Opens it. */
  void open(Call call) throws OpenFailException, SshException {
    opening = true;
    call.onCancel(
        () -> {
          if (opening) {
            cancel();
          }
        });
    try {
      trans.write(buildOpenReq());
      while (!openEvent.tryAwait(Waits.slice(call), TimeUnit.MILLISECONDS)) {
        Waits.check(call);
      }
      if (cancelled) {
        throw new SshException(Kind.CANCELLED, "the call was cancelled");
      }
    } catch (OpenFailException e) {
      throw e;
    } catch (SSHException e) {
      cancel();
      throw Failures.during(call, e);
    } catch (SshException e) {
      cancel();
      throw e;
    } finally {
      opening = false;
    }
  }

  /** Reads into the target; -1 at the end. */
  int read(ByteBuffer target) throws IOException {
    return read(input(), target);
  }

  int read(ChannelInputStream from, ByteBuffer target) throws IOException {
    try {
      if (target.hasArray()) {
        int count =
            read(
                from, target.array(), target.arrayOffset() + target.position(), target.remaining());
        target.position(target.position() + Math.max(count, 0));
        return count;
      }
      byte[] copy = new byte[Math.min(target.remaining(), getLocalMaxPacketSize())];
      int count = read(from, copy, 0, copy.length);
      target.put(copy, 0, Math.max(count, 0));
      return count;
    } catch (SSHException e) {
      throw cancelled ? closed() : Failures.lost(e);
    }
  }

  private int read(ChannelInputStream from, byte[] target, int offset, int length)
      throws IOException {
    if (cancelled) {
      throw closed();
    }
    return from.read(target, offset, length);
  }

  void write(byte[] source, int offset, int length) throws IOException {
    writing.lock();
    try {
      int done = 0;
      while (done < length) {
        int part = reserve(length - done);
        try {
          trans.write(data(source, offset + done, part));
        } catch (TransportException e) {
          throw Failures.lost(e);
        } finally {
          sent();
        }
        done += part;
      }
    } finally {
      writing.unlock();
    }
  }

  /** As large as it will be: sshj's own begins small, and grows to twice of what it needs. */
  private SSHPacket data(byte[] source, int offset, int length) {
    SSHPacket packet = new SSHPacket(new byte[length + AROUND]);
    packet.rpos(HEAD);
    packet.wpos(HEAD);
    return packet
        .putMessageID(Message.CHANNEL_DATA)
        .putUInt32(getRecipient())
        .putBytes(source, offset, length);
  }

  /** Waits until the other side takes something; how much that may be now. */
  private int reserve(int wanted) throws IOException {
    lock.lock();
    try {
      while (true) {
        check();
        int part = (int) Math.min(Math.min(wanted, rwin.getSize()), rwin.getMaxPacketSize());
        if (part > 0) {
          rwin.consume(part);
          sending = true;
          return part;
        }
        changed.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted while writing").initCause(e);
    } finally {
      lock.unlock();
    }
  }

  private void check() throws SshException {
    if (failure != null) {
      throw Failures.lost(failure);
    }
    if (cancelled) {
      throw closed();
    }
    if (peerClosed || outputEnded) {
      throw new SshException(
          Kind.LOST, peerClosed ? "the other side ended the stream" : "the output has ended");
    }
  }

  private static SshException closed() {
    return new SshException(Kind.CANCELLED, "the stream was closed");
  }

  private void sent() {
    lock.lock();
    try {
      sending = false;
      closeIfDue();
    } finally {
      lock.unlock();
    }
  }

  /** Says that nothing more comes from us. */
  void closeOutput() throws IOException {
    writing.lock();
    try {
      lock.lock();
      try {
        if (outputEnded || peerClosed || cancelled) {
          return;
        }
        outputEnded = true;
        sending = true;
      } finally {
        lock.unlock();
      }
      try {
        trans.write(newBuffer(Message.CHANNEL_EOF));
      } catch (TransportException e) {
        throw Failures.lost(e);
      } finally {
        sent();
      }
    } finally {
      writing.unlock();
    }
  }

  /** Ends both halves, and whoever reads, writes or opens. Repeatable, and waits for nothing. */
  void cancel() {
    ConnectionException error = new ConnectionException("the stream was closed");
    lock.lock();
    try {
      if (cancelled || ended) {
        return;
      }
      cancelled = true;
      changed.signalAll();
      closeIfDue();
    } finally {
      lock.unlock();
    }
    if (!openEvent.isSet()) {
      openEvent.deliverError(error);
    }
    wakeReaders(error);
  }

  /** Wakes whoever reads. */
  void wakeReaders(SSHException error) {
    input().notifyError(error);
  }

  private void closeIfDue() {
    if (opened && !sending && !closeStarted && (cancelled || peerClosed)) {
      closeStarted = true;
      // Sending waits while the connection is clogged.
      Thread.ofVirtual().name("ssh-close").start(this::sendCloseQuietly);
    }
  }

  private void sendCloseQuietly() {
    try {
      beforeClose();
      sendClose();
    } catch (TransportException e) {
      // The connection is gone, and the channel with it.
    }
  }

  /** Something to say before the close. */
  void beforeClose() throws TransportException {}

  final boolean failed() {
    return failure != null;
  }

  final boolean isCancelled() {
    return cancelled;
  }

  @Override
  public void handle(Message message, SSHPacket packet) throws SSHException {
    switch (message) {
      case CHANNEL_DATA, CHANNEL_EXTENDED_DATA -> {
        // Under the lock: data after the end of its stream is an error that ends the connection.
        lock.lock();
        try {
          if (!cancelled) {
            super.handle(message, packet);
          }
        } finally {
          lock.unlock();
        }
      }
      case CHANNEL_CLOSE -> {
        closeAllStreams();
        changes(() -> peerClosed = true);
        finishOff();
      }
      case CHANNEL_WINDOW_ADJUST -> {
        super.handle(message, packet);
        changes(() -> {});
      }
      case CHANNEL_OPEN_CONFIRMATION -> {
        super.handle(message, packet);
        changes(() -> opened = true);
      }
      default -> super.handle(message, packet);
    }
  }

  private void changes(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
      closeIfDue();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void notifyError(SSHException error) {
    failure = error;
    changes(() -> {});
    super.notifyError(error);
  }

  @Override
  protected void closeAllStreams() {
    input().eof();
  }

  @Override
  protected void finishOff() {
    super.finishOff();
    lock.lock();
    try {
      if (ended) {
        return;
      }
      ended = true;
    } finally {
      lock.unlock();
    }
    onEnd.run();
  }

  final ChannelInputStream input() {
    return (ChannelInputStream) super.getInputStream();
  }

  /** For whoever wants streams; closing either one cancels. */
  @Override
  public InputStream getInputStream() {
    return new In();
  }

  /** For whoever wants streams; closing either one cancels. */
  @Override
  public OutputStream getOutputStream() {
    return new Out();
  }

  private final class In extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      return length == 0 ? 0 : StreamChannel.this.read(ByteBuffer.wrap(target, offset, length));
    }

    @Override
    public void close() {
      cancel();
    }
  }

  private final class Out extends OutputStream {
    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      StreamChannel.this.write(source, offset, length);
    }

    @Override
    public void close() {
      cancel();
    }
  }
}
