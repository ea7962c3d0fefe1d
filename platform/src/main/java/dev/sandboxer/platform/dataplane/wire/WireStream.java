package dev.sandboxer.platform.dataplane.wire;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;

/**
 * A byte stream to a boxd, whatever carries it. Used on the event loop that opened it; handlers run
 * there. It flows from the start, until {@link #pause}. The end handler runs once, after all data,
 * also after a failure; while the stream is paused it waits.
 */
public interface WireStream {

  /**
   * Takes what comes.
   *
   * @param data gets each part
   */
  void handler(Handler<Buffer> data);

  /**
   * Hears of a failure; the end comes after it.
   *
   * @param failed gets the cause
   */
  void exceptionHandler(Handler<Throwable> failed);

  /**
   * Hears of the end. Either side's end of sending is the end of the whole stream.
   *
   * @param ended runs once
   */
  void endHandler(Handler<Void> ended);

  /** Holds back what comes, and so the other side. Repeatable. */
  void pause();

  /** Lets it come again. Repeatable. */
  void resume();

  /**
   * Sends, and keeps in memory what the other side does not take yet.
   *
   * @param data not changed afterwards
   */
  void write(Buffer data);

  /**
   * Whether so much waits in memory that the writer should stop.
   *
   * @return true until {@link #drainHandler} runs
   */
  boolean writeQueueFull();

  /**
   * Runs something once there is room again.
   *
   * @param drained runs once
   */
  void drainHandler(Handler<Void> drained);

  /** Sends what was written, ends the sending half where there is one, then closes; within 5 s. */
  void close();

  /** Closes at once, whatever waits to be sent, and unblocks whoever is blocked. Repeatable. */
  void cut();
}
