package dev.sandboxer.dataplane.websocket;

import java.nio.ByteBuffer;

/**
 * Takes what comes over one WebSocket, on a thread of its own, one call after another: nothing more
 * is read from the network while a call lasts.
 */
public interface Listener {
  /**
   * A part of a text message, in UTF-8; a character may begin in one part and end in the next.
   *
   * @param last whether the message ends with it
   * @return whether more is wanted; false ends the connection
   */
  boolean onText(ByteBuffer part, boolean last);

  /**
   * A part of a binary message.
   *
   * @param last whether the message ends with it
   * @return whether more is wanted; false ends the connection
   */
  boolean onBinary(ByteBuffer part, boolean last);

  /** The other side has closed the WebSocket as one should; the last call. */
  void onClose(int status, String reason);

  /** The connection is gone, or what came over it broke the rules; the last call. */
  void onError(Throwable error);
}
