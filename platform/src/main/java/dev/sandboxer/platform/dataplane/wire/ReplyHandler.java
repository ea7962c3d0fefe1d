package dev.sandboxer.platform.dataplane.wire;

import io.vertx.core.buffer.Buffer;

/** Takes one reply, on the exchange's event loop. After end or failure nothing more comes. */
public interface ReplyHandler {

  /**
   * The final head; interim ones were dropped. For 101 nothing follows: {@link Exchange#detach}.
   *
   * @param head its form is checked
   * @param hasBody whether parts follow
   */
  void head(ReplyHead head, boolean hasBody);

  /**
   * A part of the body.
   *
   * @param part to keep or pass on
   * @param last whether it is surely the last one; {@link #end} follows then as well
   */
  void body(Buffer part, boolean last);

  /** The reply is whole. */
  void end();

  /**
   * The reply will not become whole.
   *
   * @param cause for a person
   */
  void failed(WireException cause);
}
