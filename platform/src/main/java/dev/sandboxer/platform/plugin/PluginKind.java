package dev.sandboxer.platform.plugin;

/**
 * A kind of plug-in; its code runs with its own loader as the thread's context class loader.
 *
 * @param <P> what its jars provide
 * @param name of the kind
 * @param provider to make one with
 * @param loader of its classes
 * @param source the folder of its jars
 */
public record PluginKind<P>(String name, P provider, ClassLoader loader, String source) {

  /**
   * Lends the calling thread the kind's class loader.
   *
   * @return gives it back when closed, on the same thread
   */
  public PluginContext enter() {
    return new PluginContext(loader);
  }
}
