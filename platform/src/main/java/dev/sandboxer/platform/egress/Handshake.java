package dev.sandboxer.platform.egress;

import io.vertx.core.buffer.Buffer;
import java.util.Optional;

/** What a program says before it is connected, in the one or the other protocol. */
interface Handshake {

  /**
   * Takes what the program says.
   *
   * @throws MalformedException if it breaks the protocol
   */
  Step feed(Buffer data) throws MalformedException;

  /** Whether the program and the host speak to each other, in whatever protocol. */
  boolean tunnel();

  /** Of the one request that is no tunnel. */
  Optional<String> method();

  /** What the program hears once it is connected; may be empty. */
  Buffer opened();

  /** What it hears if it is not. */
  Buffer refused(Refusal refusal);

  /**
   * What of its bytes goes to the host. Called with an empty buffer first, for what came along with
   * the handshake.
   *
   * @throws MalformedException if they break the protocol
   */
  Buffer outwards(Buffer data) throws MalformedException;

  /** What the program hears of what the host says. */
  Buffer inwards(Buffer data);

  /** What is next. */
  sealed interface Step {

    /** More has to come; the answer may be empty. */
    record More(Buffer answer) implements Step {}

    /** The host that the program wants, as it names it. */
    record Wanted(String host, int port) implements Step {}
  }

  /** The program breaks the protocol. */
  final class MalformedException extends Exception {

    private static final long serialVersionUID = 1L;

    MalformedException(String message) {
      super(message);
    }

    String reason() {
      return String.valueOf(getMessage());
    }
  }
}
