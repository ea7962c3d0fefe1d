package dev.sandboxer.ssh;

import dev.sandboxer.spi.ErrorCode;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A failure with a kind, and a message for a person without secrets. */
public final class SshException extends IOException {

  private static final long serialVersionUID = 1L;

  /** What went wrong. */
  public enum Kind {
    /** An address, path or argument that cannot be right. */
    INVALID(ErrorCode.VALIDATION),
    /** No connection: name, network, port, or no SSH server. */
    UNREACHABLE(ErrorCode.UNAVAILABLE),
    /** The server and we have no algorithm in common. */
    ALGORITHMS(ErrorCode.UNSUPPORTED),
    /** The server's host key is not known. */
    HOST_KEY_UNKNOWN(ErrorCode.AUTHORIZATION),
    /** The server's host key is not the known one. */
    HOST_KEY_CHANGED(ErrorCode.AUTHORIZATION),
    /** Our private key cannot be read. */
    KEY_UNREADABLE(ErrorCode.VALIDATION),
    /** Our private key's passphrase is missing or wrong. */
    PASSPHRASE(ErrorCode.AUTHORIZATION),
    /** The server does not let the user in with this key. */
    KEY_REFUSED(ErrorCode.AUTHORIZATION),
    /** The server allows no further session on a connection. */
    SESSIONS(ErrorCode.CAPACITY),
    /** There is no socket at the path. */
    SOCKET_MISSING(ErrorCode.UNAVAILABLE),
    /** The user may not use the socket. */
    SOCKET_FORBIDDEN(ErrorCode.AUTHORIZATION),
    /** The server does not pass the stream on, or nobody listens there. */
    FORWARDING(ErrorCode.UNAVAILABLE),
    /** The user's login shell did not run the command. */
    SHELL(ErrorCode.UNAVAILABLE),
    /** No room on the remote disk. */
    DISK_FULL(ErrorCode.CAPACITY),
    /** A file or folder could not be written, read or removed. */
    FILE(ErrorCode.UNAVAILABLE),
    /** The connection ended. What was under way may have had its effect. */
    LOST(ErrorCode.UNAVAILABLE),
    /** It took longer than the call may. */
    TIMEOUT(ErrorCode.TIMEOUT),
    /** Nobody waits for it any more. */
    CANCELLED(ErrorCode.UNAVAILABLE);

    private final ErrorCode code;

    Kind(ErrorCode code) {
      this.code = code;
    }

    /**
     * What it means for a backend that is reached by SSH.
     *
     * @return the code to fail with where nothing better is known
     */
    public ErrorCode code() {
      return code;
    }
  }

  private final Kind kind;

  /**
   * Makes the failure.
   *
   * @param kind what went wrong
   * @param message for a person
   * @param cause null if there is none
   */
  public SshException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /**
   * A failure without a cause.
   *
   * @param kind what went wrong
   * @param message for a person
   */
  public SshException(Kind kind, String message) {
    this(kind, message, null);
  }

  /**
   * What went wrong.
   *
   * @return the kind
   */
  public Kind kind() {
    return kind;
  }
}
