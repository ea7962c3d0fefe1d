package dev.sandboxer.ssh.wire;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.Call;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshException.Kind;
import dev.sandboxer.ssh.SshSettings;
import dev.sandboxer.ssh.SshTarget;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import net.schmizz.keepalive.KeepAliveRunner;
import net.schmizz.sshj.SSHClient;
import net.schmizz.sshj.connection.channel.OpenFailException;
import net.schmizz.sshj.userauth.keyprovider.KeyProvider;
import net.schmizz.sshj.userauth.method.AuthPublickey;

/** One login. It counts as lost for good once anything on it failed as a connection does. */
public final class SshConnection {

  private static final Duration FIRST_SESSION = Duration.ofSeconds(5);

  private final SshTarget target;
  private final SshSettings settings;
  private final SSHClient client;
  private final Optional<Tunnel> tunnel;
  private volatile boolean late;
  private volatile boolean lost;

  /** A stream through another connection that carries this one. */
  public static final class Tunnel {
    private final TcpChannel.Tunnel channel;

    private Tunnel(TcpChannel.Tunnel channel) {
      this.channel = channel;
    }

    /** Ends it. */
    public void close() {
      channel.cancel();
    }
  }

  private SshConnection(
      SshTarget target, SshSettings settings, SSHClient client, Optional<Tunnel> tunnel) {
    this.target = target;
    this.settings = settings;
    this.client = client;
    this.tunnel = tunnel;
  }

  /**
   * Makes connections. Its list of algorithms takes a while to make, so keep one.
   *
   * @param settings of all of them
   */
  public record Dialer(SshSettings settings) {

    private static final ClientConfig CONFIG = ClientConfig.make();

    /**
     * Connects and logs in.
     *
     * @param target where to
     * @param tunnel through what; empty for a direct connection
     * @param call deadline and cancellation
     * @return a connection that works
     * @throws SshException if there is none; the tunnel is closed then
     */
    public SshConnection connect(SshTarget target, Optional<Tunnel> tunnel, Call call)
        throws SshException {
      SSHClient client = new SSHClient(CONFIG);
      SshConnection connection = new SshConnection(target, settings, client, tunnel);
      boolean done = false;
      try {
        connection.login(call);
        done = true;
        return connection;
      } finally {
        if (!done) {
          connection.close();
        }
      }
    }
  }

  private void login(Call call) throws SshException {
    KeyProvider key = PrivateKeys.read(client, target);
    HostKeyCheck check = HostKeyCheck.of(target);
    prepare(check, call);
    long most = Math.min(call.remaining().toMillis(), settings.connectTimeout().toMillis());
    Thread watchdog = Thread.ofVirtual().name("ssh-login").start(() -> closeAfter(most));
    boolean[] over = {false};
    call.onCancel(
        () -> {
          if (!over[0]) {
            close();
          }
        });
    try {
      if (tunnel.isPresent()) {
        client.connectVia(tunnel.get().channel, target.host(), target.port());
      } else {
        client.connect(target.host(), target.port());
      }
      client.auth(target.user(), new AuthPublickey(key));
    } catch (IOException e) {
      throw check.refusal().orElseGet(() -> failure(call, e));
    } catch (IllegalStateException e) {
      // sshj says so where the connection was closed between two steps of the login.
      throw failure(call, new IOException("it ended during the login", e));
    } finally {
      over[0] = true;
      watchdog.interrupt();
    }
    turnNagleOff(call);
  }

  private void prepare(HostKeyCheck check, Call call) {
    client.addHostKeyVerifier(check);
    client.getTransport().setDisconnectListener((reason, message) -> lost = true);
    client.setSocketFactory(DirectSocket.factory(target.server(), settings.patience()));
    int most =
        (int)
            Math.max(
                1, Math.min(call.remaining().toMillis(), settings.connectTimeout().toMillis()));
    client.setConnectTimeout(most);
    client.getTransport().setTimeoutMs(most);
    client.getConnection().setWindowSize(settings.windowBytes());
    // It starts with the connection and only if it is set by then.
    KeepAliveRunner keepAlive = (KeepAliveRunner) client.getConnection().getKeepAlive();
    keepAlive.setKeepAliveInterval((int) settings.keepAlive().toSeconds());
    keepAlive.setMaxAliveCount(settings.missedAnswers());
  }

  private void closeAfter(long millis) {
    try {
      Thread.sleep(Duration.ofMillis(millis));
      late = true;
      close();
    } catch (InterruptedException e) {
      // The login is over.
    }
  }

  private SshException failure(Call call, IOException e) {
    try {
      Waits.check(call);
    } catch (SshException own) {
      own.addSuppressed(e);
      return own;
    }
    if (late) {
      return new SshException(
          Kind.UNREACHABLE,
          "there is no SSH connection to %s: no login within %d s"
              .formatted(target.server(), settings.connectTimeout().toSeconds()),
          e);
    }
    return Failures.connecting(target, e);
  }

  /** Without it the end of each stream would wait 40 ms. Only the first session can do it. */
  private void turnNagleOff(Call call) {
    CommandChannel session = new CommandChannel(client.getConnection(), () -> {});
    Call bounded = new BoundedCall(call, FIRST_SESSION);
    try {
      session.open(bounded);
      session.terminal();
      session.start("true", bounded);
      session.endStdin();
      session.await(bounded);
    } catch (IOException e) {
      // Streams work all the same, only slower; commands say what is wrong themselves.
    } finally {
      session.cancel();
    }
  }

  /**
   * Whether it may still be used.
   *
   * @return false once it is known to be lost
   */
  public boolean alive() {
    // Not sshj's own answer: it waits for a lock that sshj holds while it ends all that is on a
    // connection, and whoever asks may hold what those wait for.
    return !lost;
  }

  /**
   * Opens a stream to a Unix socket there.
   *
   * @param path of the socket
   * @param onEnd runs once, when the stream has ended on both sides or could not be opened
   * @param call deadline and cancellation of the opening
   * @return the stream
   * @throws SshException FORWARDING if the server refuses, LOST if the connection ended
   */
  public ByteStream openUnix(String path, Runnable onEnd, Call call) throws SshException {
    UnixChannel channel = new UnixChannel(client.getConnection(), path, onEnd);
    open(channel, call, "the socket " + path, "AllowStreamLocalForwarding and AllowTcpForwarding");
    return new SshStream(channel);
  }

  /**
   * Opens a stream to a TCP port that the machine reaches.
   *
   * @param host as that machine knows it
   * @param port there
   * @param onEnd runs once, when the stream has ended on both sides or could not be opened
   * @param call deadline and cancellation of the opening
   * @return the stream
   * @throws SshException FORWARDING if the server refuses, LOST if the connection ended
   */
  public ByteStream openTcp(String host, int port, Runnable onEnd, Call call) throws SshException {
    TcpChannel channel = new TcpChannel(client.getConnection(), host, port, onEnd);
    open(channel, call, host + ":" + port, "AllowTcpForwarding");
    return new SshStream(channel);
  }

  /**
   * Opens a stream that carries another connection.
   *
   * @param to the other machine
   * @param onEnd runs once, when the stream has ended on both sides or could not be opened
   * @param call deadline and cancellation of the opening
   * @return the stream
   * @throws SshException FORWARDING if the server refuses, LOST if the connection ended
   */
  public Tunnel openTunnel(SshTarget to, Runnable onEnd, Call call) throws SshException {
    TcpChannel.Tunnel channel =
        new TcpChannel.Tunnel(
            client.getConnection(), to.host(), to.port(), settings.patience(), onEnd);
    open(channel, call, to.server(), "AllowTcpForwarding");
    return new Tunnel(channel);
  }

  private void open(StreamChannel channel, Call call, String what, String options)
      throws SshException {
    try {
      channel.open(call);
    } catch (OpenFailException e) {
      String why =
          e.getReason() == OpenFailException.Reason.ADMINISTRATIVELY_PROHIBITED
              ? "its configuration forbids it"
              : "nobody listens there, or its configuration forbids it";
      throw new SshException(
          Kind.FORWARDING,
          "the SSH server at %s does not open a stream to %s: %s (%s in sshd_config must be yes)"
              .formatted(target.server(), what, why, options),
          e);
    } catch (SshException e) {
      throw noted(e);
    }
  }

  /**
   * Starts a command.
   *
   * @param line for the user's login shell
   * @param onEnd runs once, when the server has no more of it
   * @param call deadline and cancellation of the start
   * @return the running command
   * @throws SshException SESSIONS if the server allows no more, LOST if the connection ended
   */
  public CommandChannel start(String line, Runnable onEnd, Call call) throws SshException {
    CommandChannel channel = new CommandChannel(client.getConnection(), onEnd);
    try {
      channel.open(call);
      channel.start(line, call);
      return channel;
    } catch (OpenFailException e) {
      throw new SshException(
          Kind.SESSIONS,
          "the SSH server at %s allows no further command on this connection: MaxSessions in sshd_config must be at least %d"
              .formatted(target.server(), settings.commands() + 1),
          e);
    } catch (SshException e) {
      throw noted(e);
    }
  }

  private SshException noted(SshException e) {
    if (e.kind() == Kind.LOST) {
      close();
    }
    return e;
  }

  /** Ends it and all that is on it, whatever the server does. Repeatable. */
  public void close() {
    lost = true;
    tunnel.ifPresent(Tunnel::close);
    try {
      // The socket first: saying goodbye would wait while the connection is clogged.
      if (client.getSocket() != null) {
        client.getSocket().close();
      }
      client.close();
    } catch (IOException e) {
      // There is nothing left to do with it.
    }
  }
}
