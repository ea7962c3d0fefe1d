package dev.sandboxer.ssh.wire;

import dev.sandboxer.spi.Call;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import net.schmizz.sshj.common.Buffer;
import net.schmizz.sshj.common.DisconnectReason;
import net.schmizz.sshj.common.Message;
import net.schmizz.sshj.common.SSHException;
import net.schmizz.sshj.common.SSHPacket;
import net.schmizz.sshj.connection.Connection;
import net.schmizz.sshj.connection.ConnectionException;
import net.schmizz.sshj.connection.channel.ChannelInputStream;
import net.schmizz.sshj.transport.TransportException;

/** A command that the user's login shell runs. */
public final class CommandChannel extends StreamChannel {

  private static final int STDERR = 1;

  private final ChannelInputStream errors = new ChannelInputStream(this, trans, lwin);
  private volatile OptionalInt exit = OptionalInt.empty();
  private volatile Optional<String> signal = Optional.empty();
  private volatile boolean started;

  CommandChannel(Connection connection, Runnable onEnd) {
    super(connection, "session", onEnd);
  }

  /**
   * Asks for a terminal. sshd turns Nagle's delay off on a connection whose first session has one.
   */
  void terminal() throws TransportException {
    sendChannelRequest(
        "pty-req",
        false,
        new Buffer.PlainBuffer()
            .putString("dumb")
            .putUInt32(80)
            .putUInt32(24)
            .putUInt32(0)
            .putUInt32(0)
            .putString(new byte[] {0}));
  }

  /** Starts the command. */
  void start(String line, Call call) throws SshException {
    try {
      var answer = sendChannelRequest("exec", true, new Buffer.PlainBuffer().putString(line));
      while (!answer.tryAwait(Waits.slice(call), TimeUnit.MILLISECONDS)) {
        Waits.check(call);
      }
      started = true;
    } catch (SSHException e) {
      boolean refused = "Request failed".equals(e.getMessage());
      cancel();
      throw refused
          ? new SshException(Kind.SHELL, "the SSH server refuses to run commands for the user", e)
          : Failures.during(call, e);
    } catch (SshException e) {
      cancel();
      throw e;
    }
  }

  /**
   * Waits until the server is done with the command and all of its output was received.
   *
   * @param call that waits
   * @return false if the connection was lost before, or somebody cancelled the command
   * @throws SshException CANCELLED or TIMEOUT; the command is not ended by that
   */
  public boolean await(Call call) throws SshException {
    try {
      while (!closeEvent.tryAwait(Waits.slice(call), TimeUnit.MILLISECONDS)) {
        Waits.check(call);
      }
      return exit.isPresent() || signal.isPresent() || !failed();
    } catch (ConnectionException e) {
      if (e.getCause() instanceof InterruptedException interrupted) {
        throw Waits.interrupted(interrupted);
      }
      Waits.check(call);
      return false;
    }
  }

  /**
   * Its exit code.
   *
   * @return empty if it has not ended, or not by itself
   */
  public OptionalInt exit() {
    return exit;
  }

  /**
   * The signal that ended it.
   *
   * @return such as {@code KILL}; empty if none did
   */
  public Optional<String> signal() {
    return signal;
  }

  /**
   * What it writes to standard output.
   *
   * @return to be read by one thread
   */
  public InputStream stdout() {
    return getInputStream();
  }

  /**
   * What it writes to standard error.
   *
   * @return to be read by another thread
   */
  public InputStream stderr() {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        return length == 0
            ? 0
            : CommandChannel.this.read(errors, ByteBuffer.wrap(target, offset, length));
      }
    };
  }

  /**
   * Writes to its standard input, as long as it takes something.
   *
   * @param source bytes
   * @param length how many of them
   * @throws IOException if it takes no more
   */
  public void writeStdin(byte[] source, int length) throws IOException {
    write(source, 0, length);
  }

  /**
   * Ends its standard input.
   *
   * @throws IOException if the connection is lost
   */
  public void endStdin() throws IOException {
    closeOutput();
  }

  /** Kills the command, as far as the server does that, and forgets it. Waits for nothing. */
  @Override
  public void cancel() {
    super.cancel();
    if (!closeEvent.isSet()) {
      closeEvent.deliverError(new ConnectionException("the command was cancelled"));
    }
  }

  @Override
  void beforeClose() throws TransportException {
    if (started && isCancelled()) {
      sendChannelRequest("signal", false, new Buffer.PlainBuffer().putString("KILL"));
    }
  }

  @Override
  protected void handleRequest(String request, SSHPacket packet)
      throws ConnectionException, TransportException {
    try {
      switch (request) {
        case "exit-status" -> exit = OptionalInt.of((int) packet.readUInt32());
        case "exit-signal" -> signal = Optional.of(packet.readString());
        default -> {
          // sshd asks with want-reply only for its own keep-alive, which a failure answers.
          if (request.startsWith("keepalive")) {
            trans.write(newBuffer(Message.CHANNEL_FAILURE));
          }
        }
      }
    } catch (Buffer.BufferException e) {
      throw new ConnectionException(e);
    }
  }

  @Override
  protected void gotExtendedData(SSHPacket packet) throws SSHException {
    try {
      if (packet.readUInt32() != STDERR) {
        throw new ConnectionException(DisconnectReason.PROTOCOL_ERROR, "unknown kind of data");
      }
    } catch (Buffer.BufferException e) {
      throw new ConnectionException(e);
    }
    receiveInto(errors, packet);
  }

  @Override
  protected void eofInputStreams() {
    errors.eof();
    super.eofInputStreams();
  }

  @Override
  protected void closeAllStreams() {
    errors.eof();
    super.closeAllStreams();
  }

  @Override
  void wakeReaders(SSHException error) {
    errors.notifyError(error);
    super.wakeReaders(error);
  }

  @Override
  public void notifyError(SSHException error) {
    errors.notifyError(error);
    super.notifyError(error);
  }
}
