package dev.sandboxer.ssh.host;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.Call;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshException.Kind;
import dev.sandboxer.ssh.SshTarget;
import dev.sandboxer.ssh.host.ConnectionPool.Place;
import dev.sandboxer.ssh.host.ConnectionPool.Use;
import dev.sandboxer.ssh.wire.SshConnection;
import dev.sandboxer.ssh.wire.SshConnection.Tunnel;
import dev.sandboxer.ssh.wire.Waits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/** One machine. Usable from any number of threads. */
public final class SshHost {

  private static final int MAX_SOCKET_PATH = 107;
  private static final int SESSION_TRIES = 20;
  private static final Duration SESSION_PAUSE = Duration.ofMillis(50);
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._:-]{1,253}");

  private final SshTarget target;
  private final Optional<SshHost> jump;
  private final SshConnection.Dialer dialer;
  private final ConnectionPool pool;

  SshHost(SshTarget target, Optional<SshHost> jump, SshConnection.Dialer dialer) {
    this.target = target;
    this.jump = jump;
    this.dialer = dialer;
    this.pool = new ConnectionPool(dialer.settings(), this::connect);
  }

  /**
   * Which one it is.
   *
   * @return who and where
   */
  public SshTarget target() {
    return target;
  }

  /**
   * How many streams may be open at once.
   *
   * @return over all connections
   */
  public int maxStreams() {
    return dialer.settings().maxStreams();
  }

  /**
   * How many connections there are now.
   *
   * @return those that work as far as is known
   */
  public int connections() {
    return pool.size();
  }

  private SshConnection connect(Call call) throws SshException {
    Optional<Tunnel> tunnel =
        jump.isPresent() ? Optional.of(jump.get().tunnel(target, call)) : Optional.empty();
    return dialer.connect(target, tunnel, call);
  }

  private Tunnel tunnel(SshTarget to, Call call) throws SshException {
    return on(Use.STREAM, call, place -> place.connection().openTunnel(to, place::give, call));
  }

  /**
   * Opens a stream to a Unix socket.
   *
   * @param path absolute
   * @param call deadline and cancellation of the opening alone
   * @return an open stream; one that nobody reads holds up only itself
   * @throws SshException SOCKET_MISSING, SOCKET_FORBIDDEN or FORWARDING if the machine does not
   *     open it; any kind if it cannot be reached
   */
  public ByteStream openSocket(String path, Call call) throws SshException {
    if (!path.startsWith("/")
        || path.indexOf('\0') >= 0
        || path.getBytes(StandardCharsets.UTF_8).length > MAX_SOCKET_PATH) {
      throw new SshException(
          Kind.INVALID,
          "the socket's path '%s' must be absolute and at most %d bytes long"
              .formatted(path, MAX_SOCKET_PATH));
    }
    try {
      return on(Use.STREAM, call, place -> place.connection().openUnix(path, place::give, call));
    } catch (SshException e) {
      throw e.kind() == Kind.FORWARDING ? why(path, e, call) : e;
    }
  }

  /** The server gives one answer for all that can be wrong with a socket, so look at it. */
  private SshException why(String path, SshException refusal, Call call) {
    try {
      ExecResult seen =
          exec(SshCommand.script("[ -S \"$1\" ] || exit 3; [ -w \"$1\" ] || exit 4", path), call);
      if (seen.exited(3)) {
        return new SshException(
            Kind.SOCKET_MISSING,
            "there is no socket at %s on %s".formatted(path, target.server()),
            refusal);
      }
      if (seen.exited(4)) {
        return new SshException(
            Kind.SOCKET_FORBIDDEN,
            "user %s may not use the socket %s on %s: add the user to the socket's group"
                .formatted(target.user(), path, target.server()),
            refusal);
      }
    } catch (SshException e) {
      refusal.addSuppressed(e);
    }
    return refusal;
  }

  /**
   * Opens a stream to a TCP port that the machine reaches.
   *
   * @param host as the machine knows it
   * @param port there
   * @param call deadline and cancellation of the opening alone
   * @return an open stream
   * @throws SshException FORWARDING if the machine does not open it; any kind if it cannot be
   *     reached
   */
  public ByteStream openTcp(String host, int port, Call call) throws SshException {
    if (!NAME.matcher(host).matches() || port < 1 || port > 65_535) {
      throw new SshException(Kind.INVALID, "there can be no port %s:%d".formatted(host, port));
    }
    return on(Use.STREAM, call, place -> place.connection().openTcp(host, port, place::give, call));
  }

  /**
   * Runs a command to its end.
   *
   * @param command what to run
   * @param call deadline and cancellation; once it is over the command is killed, as far as the
   *     server does that
   * @return how it ended, also when the connection was lost after it began
   * @throws SshException if it did not begin, or is not waited for any longer
   */
  public ExecResult exec(SshCommand command, Call call) throws SshException {
    String marker = ShellLine.marker();
    String line = ShellLine.of(marker, command.arguments());
    for (int left = SESSION_TRIES; ; left--) {
      try {
        return on(
            Use.COMMAND,
            call,
            place ->
                new Execution(
                        target,
                        command,
                        marker,
                        place.connection().start(line, place::give, call),
                        this::kill)
                    .run(call));
      } catch (SshException e) {
        // A session that has just ended counts for sshd a little longer.
        if (e.kind() != Kind.SESSIONS || left == 1) {
          throw e;
        }
        pause(call);
      }
    }
  }

  private static void pause(Call call) throws SshException {
    Waits.check(call);
    try {
      Thread.sleep(SESSION_PAUSE);
    } catch (InterruptedException e) {
      throw Waits.interrupted(e);
    }
  }

  /** Ends a command that nobody waits for, with all that it started. Its process leads a group. */
  private void kill(long process) {
    Thread.ofVirtual()
        .name("ssh-kill")
        .start(
            () -> {
              try {
                exec(
                    SshCommand.script("kill -KILL \"-$1\"", "" + process),
                    new TimedCall(dialer.settings().connectTimeout()));
              } catch (SshException e) {
                // The server is gone, or allows no more; the command may run on.
              }
            });
  }

  /**
   * Its files.
   *
   * @return to copy and remove
   */
  public RemoteFiles files() {
    return new RemoteFiles(this);
  }

  /** Something done on a connection. */
  @FunctionalInterface
  private interface Action<T> {
    T on(Place place) throws SshException;
  }

  /**
   * A connection may be gone without anybody having noticed, so what could not begin on it is tried
   * once on another one. The action gives its place back by itself once it has begun.
   */
  private <T> T on(Use use, Call call, Action<T> action) throws SshException {
    Place place = pool.take(use, call);
    try {
      return action.on(place);
    } catch (SshException e) {
      if (e.kind() != Kind.LOST) {
        throw e;
      }
    }
    return action.on(pool.take(use, call));
  }

  void close() {
    pool.close();
  }
}
