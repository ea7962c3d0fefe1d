package dev.sandboxer.ext.compose.host;

import dev.sandboxer.spi.ByteStreamOpener;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.host.ExecResult;
import dev.sandboxer.ssh.host.ExecResult.ConnectionLost;
import dev.sandboxer.ssh.host.RemoteFiles;
import dev.sandboxer.ssh.host.SshCommand;
import dev.sandboxer.ssh.host.SshHost;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A machine within a call. */
public final class Machine {

  private static final int PREFIX = 8;
  private static final int KEEP = 4 * 1024 * 1024;
  private static final int SSH = 22;

  private final SshHost ssh;
  private final HostSettings settings;
  private final String installation;
  private final Call call;

  Machine(SshHost ssh, HostSettings settings, String installation, Call call) {
    this.ssh = ssh;
    this.settings = settings;
    this.installation = installation;
    this.call = call;
  }

  /**
   * The folder of all installations, which also has what their sandboxes share.
   *
   * @return an absolute path
   */
  public String shared() {
    return settings.remoteDir();
  }

  /**
   * The folder of this installation's sandboxes.
   *
   * @return an absolute path
   */
  public String base() {
    return settings.remoteDir() + "/" + installation.substring(0, PREFIX);
  }

  /**
   * The folder of a sandbox.
   *
   * @param identity whose
   * @return an absolute path
   */
  public String folder(SandboxIdentity identity) {
    return base() + "/" + identity.name();
  }

  /**
   * The program, for scripts.
   *
   * @return one or two words
   */
  public String compose() {
    return settings.compose();
  }

  /**
   * What the server is called in messages.
   *
   * @return such as {@code build-1:22}
   */
  public String name() {
    return ssh.target().server();
  }

  /**
   * Its files.
   *
   * @return to copy and remove
   */
  public RemoteFiles files() {
    return ssh.files();
  }

  /**
   * Removes the folder of a sandbox, as far as the user may. What is left is seen afterwards.
   *
   * @param identity whose
   * @throws ExtensionException if the machine cannot be reached
   */
  public void removeFolder(SandboxIdentity identity) throws ExtensionException {
    try {
      ssh.files().remove(base(), identity.name(), call);
    } catch (SshException e) {
      if (e.kind() != SshException.Kind.FILE) {
        throw failure(e);
      }
    }
  }

  /**
   * Public facts for whoever uses SSH himself.
   *
   * @param folder of the project
   * @return empty if the operator hides them
   */
  public Map<String, String> descriptors(String folder) {
    String user = ssh.target().user() + "@" + ssh.target().host();
    String port = ssh.target().port() == SSH ? "" : ":" + ssh.target().port();
    return settings.descriptors() ? Map.of("ssh", user + port, "remote_dir", folder) : Map.of();
  }

  /**
   * Runs a constant script with an environment of its own: the user's variables would fill those of
   * a project.
   *
   * @param text of the script
   * @param parameters {@code $1} and so on
   * @return how it ended by itself
   * @throws ExtensionException if it did not begin, was lost or is not waited for; outcome UNKNOWN
   */
  public ExecResult run(String text, List<String> parameters) throws ExtensionException {
    return run(text, parameters, Optional.empty());
  }

  /**
   * Runs a constant script with input.
   *
   * @param text of the script
   * @param parameters {@code $1} and so on
   * @param stdin what it reads
   * @return how it ended by itself
   * @throws ExtensionException if it did not begin, was lost or is not waited for; outcome UNKNOWN
   */
  public ExecResult run(String text, List<String> parameters, Optional<byte[]> stdin)
      throws ExtensionException {
    List<String> words =
        new ArrayList<>(
            List.of(
                "sh",
                "-c",
                "umask 077; exec env -i HOME=\"$HOME\" \"$@\"",
                "sh",
                "LC_ALL=C",
                "PATH=" + settings.path(),
                "DOCKER_HOST=unix://" + settings.dockerSocket(),
                "sh",
                "-c",
                text,
                "sh"));
    words.addAll(parameters);
    SshCommand command = SshCommand.of(words).keeping(KEEP);
    try {
      ExecResult result =
          ssh.exec(
              stdin.isEmpty() ? command : command.withStdin(new ByteArrayInputStream(stdin.get())),
              call);
      if (result.end() instanceof ConnectionLost) {
        throw new ExtensionException(
            ErrorCode.UNAVAILABLE,
            Outcome.UNKNOWN,
            "the SSH connection to %s was lost".formatted(name()),
            null);
      }
      return result;
    } catch (SshException e) {
      throw failure(e);
    }
  }

  /**
   * A failure of the connection or of a file.
   *
   * @param e what happened
   * @return to be thrown; outcome UNKNOWN
   */
  public static ExtensionException failure(SshException e) {
    return new ExtensionException(
        e.kind().code(), Outcome.UNKNOWN, String.valueOf(e.getMessage()), e);
  }

  /**
   * Streams to a Unix socket of the machine.
   *
   * @param socket absolute path
   * @return equal for the same socket of the same machine
   */
  public ByteStreamOpener opener(String socket) {
    return new SocketOpener(ssh, socket);
  }

  /**
   * Whether somebody answers at a socket.
   *
   * @param socket absolute path
   * @return false if it is not there or nobody listens
   * @throws ExtensionException if the machine cannot be reached
   */
  public boolean listens(String socket) throws ExtensionException {
    try (var _ = ssh.openSocket(socket, call)) {
      return true;
    } catch (SshException e) {
      return switch (e.kind()) {
        case SOCKET_MISSING, FORWARDING -> false;
        default -> throw failure(e);
      };
    }
  }

  /**
   * Whether the Engine's socket is reached by a stream, as boxd's must be.
   *
   * @return false also where the server forwards nothing, or the user may not use the socket
   * @throws ExtensionException if the machine cannot be reached
   */
  public boolean listensToEngine() throws ExtensionException {
    try {
      return listens(settings.dockerSocket());
    } catch (ExtensionException e) {
      if (e.code() == ErrorCode.AUTHORIZATION) {
        return false;
      }
      throw e;
    }
  }
}
