package dev.sandboxer.ssh.wire;

import dev.sandboxer.spi.Call;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshException.Kind;
import dev.sandboxer.ssh.SshTarget;
import java.io.IOException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.Locale;
import net.schmizz.sshj.common.DisconnectReason;
import net.schmizz.sshj.common.SSHException;
import net.schmizz.sshj.userauth.UserAuthException;

/** What sshj's failures mean. */
final class Failures {

  private Failures() {}

  /** The connection ended. */
  static SshException lost(Throwable e) {
    return new SshException(
        Kind.LOST, "the SSH connection was lost: " + deepest(e).getMessage(), e);
  }

  /** A failure while a call waited, for which the call itself may be the reason. */
  static SshException during(Call call, SSHException e) {
    if (deepest(e) instanceof InterruptedException interrupted) {
      return Waits.interrupted(interrupted);
    }
    try {
      Waits.check(call);
    } catch (SshException own) {
      own.addSuppressed(e);
      return own;
    }
    return lost(e);
  }

  /** Why no connection could be made. */
  static SshException connecting(SshTarget target, IOException e) {
    Throwable root = deepest(e);
    if (e instanceof UserAuthException) {
      return new SshException(
          Kind.KEY_REFUSED,
          "the SSH server at %s does not let user %s in with this key: add its public key to the user's ~/.ssh/authorized_keys, and see that the account is not locked"
              .formatted(target.server(), target.user()),
          e);
    }
    if (e instanceof SSHException ssh
        && ssh.getDisconnectReason() == DisconnectReason.KEY_EXCHANGE_FAILED) {
      return new SshException(
          Kind.ALGORITHMS,
          "the SSH server at %s has no algorithm that is still safe: %s"
              .formatted(target.server(), e.getMessage()),
          e);
    }
    String hint =
        switch (root) {
          case UnknownHostException _ -> "its name is not known to DNS";
          case NoRouteToHostException _ -> "there is no route to it";
          default -> reason(String.valueOf(root.getMessage()));
        };
    return new SshException(
        Kind.UNREACHABLE,
        "there is no SSH connection to %s: %s".formatted(target.server(), hint),
        e);
  }

  private static String reason(String message) {
    String lower = message.toLowerCase(Locale.ROOT);
    if (lower.contains("connection refused")) {
      return "nobody listens on the port; see whether sshd runs there";
    }
    if (lower.contains("timed out")) {
      return "no answer; see whether a firewall is between";
    }
    if (lower.contains("identification") || lower.contains("ident")) {
      return "what answers is not an SSH server, or takes no more logins now: " + message;
    }
    return message;
  }

  private static Throwable deepest(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
