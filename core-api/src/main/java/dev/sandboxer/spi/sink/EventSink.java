package dev.sandboxer.spi.sink;

import dev.sandboxer.spi.Call;

/** Receives events. See the package for what it may rely on. */
public interface EventSink extends AutoCloseable {

  /**
   * Delivers one event; returns once it is safe where it belongs.
   *
   * @param event to deliver; the same id may come again
   * @param call deadline and cancellation
   * @throws SinkException if it could not be delivered, with what to do next
   */
  void deliver(EventMessage event, Call call) throws SinkException;

  /** Releases threads and connections. */
  @Override
  void close();
}
