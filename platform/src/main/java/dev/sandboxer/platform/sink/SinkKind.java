package dev.sandboxer.platform.sink;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.sink.EventMessage;
import dev.sandboxer.spi.sink.EventSink;
import dev.sandboxer.spi.sink.EventSinkProvider;
import dev.sandboxer.spi.sink.SinkException;

/** A kind of sink; its code runs with its own loader as the thread's context class loader. */
record SinkKind(String name, EventSinkProvider provider, ClassLoader loader, String source) {

  EventSink create(ExtensionConfig config) {
    try (Context _ = new Context(loader)) {
      return new InContext(provider.create(config), loader);
    }
  }

  /** Until it is closed, the thread has another context class loader. */
  static final class Context implements AutoCloseable {

    private final Thread thread = Thread.currentThread();
    private final ClassLoader before = thread.getContextClassLoader();

    Context(ClassLoader loader) {
      thread.setContextClassLoader(loader);
    }

    @Override
    public void close() {
      thread.setContextClassLoader(before);
    }
  }

  private record InContext(EventSink sink, ClassLoader loader) implements EventSink {

    @Override
    public void deliver(EventMessage event, Call call) throws SinkException {
      try (Context _ = new Context(loader)) {
        sink.deliver(event, call);
      } catch (RuntimeException | LinkageError e) {
        throw SinkException.away("the sink itself failed: " + e, e);
      }
    }

    @Override
    public void close() {
      try (Context _ = new Context(loader)) {
        sink.close();
      }
    }
  }
}
