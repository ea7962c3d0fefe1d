package dev.sandboxer.platform.plugin;

/** Until it is closed, the thread has another context class loader. */
public final class PluginContext implements AutoCloseable {

  private final Thread thread = Thread.currentThread();
  private final ClassLoader before = thread.getContextClassLoader();

  PluginContext(ClassLoader loader) {
    thread.setContextClassLoader(loader);
  }

  @Override
  public void close() {
    thread.setContextClassLoader(before);
  }
}
