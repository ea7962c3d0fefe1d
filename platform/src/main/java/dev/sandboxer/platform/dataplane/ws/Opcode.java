package dev.sandboxer.platform.dataplane.ws;

/** The kinds of frames (RFC 6455, 5.2). */
public final class Opcode {

  /** A further part of a message. */
  public static final int CONTINUATION = 0;

  /** Text. */
  public static final int TEXT = 1;

  /** Bytes. */
  public static final int BINARY = 2;

  /** The end of one direction. */
  public static final int CLOSE = 8;

  /** Wants a pong with the same payload. */
  public static final int PING = 9;

  /** Answers a ping. */
  public static final int PONG = 10;

  private Opcode() {}

  static boolean control(int opcode) {
    return opcode >= CLOSE;
  }

  static boolean known(int opcode) {
    return opcode <= BINARY || (opcode >= CLOSE && opcode <= PONG);
  }
}
