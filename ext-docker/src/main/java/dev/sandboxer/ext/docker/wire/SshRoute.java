package dev.sandboxer.ext.docker.wire;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.Call;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.host.SshHost;
import java.util.List;

/**
 * A Unix socket of a machine that is reached by SSH. There is one {@link SshHost} a machine.
 *
 * @param host the machine
 * @param socket path there
 */
public record SshRoute(SshHost host, String socket) implements EngineRoute {

  /** Nobody has said which key the machine has; whoever registers it is asked. */
  public static final String HOST_KEY = "host_key";

  /** The machine cannot be reached. */
  private static final String LOGIN = "ssh";

  /** The machine is reached, and its Engine is not. */
  private static final String SOCKET = "socket";

  @Override
  public String name() {
    return socket + " of " + host.target().name();
  }

  @Override
  public List<String> steps() {
    return List.of(LOGIN, SOCKET);
  }

  @Override
  public ByteStream open(Call call) {
    try {
      return host.openSocket(socket, call);
    } catch (SshException e) {
      String step =
          switch (e.kind()) {
            case HOST_KEY_UNKNOWN -> HOST_KEY;
            case SOCKET_MISSING, SOCKET_FORBIDDEN, FORWARDING -> SOCKET;
            default -> LOGIN;
          };
      String remedy =
          e.kind() == SshException.Kind.SOCKET_MISSING
              ? "; start the Engine, or name its socket (settings.docker_socket of the host)"
              : "";
      throw EngineUnreachableException.noWay(step, e.kind().code(), e.getMessage() + remedy, e);
    }
  }
}
