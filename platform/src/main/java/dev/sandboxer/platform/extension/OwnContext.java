package dev.sandboxer.platform.extension;

import dev.sandboxer.spi.Lifetime;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.Snapshotting;
import dev.sandboxer.spi.Suspendable;
import dev.sandboxer.spi.Volumes;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** Runs an extension's code with its own loader as the thread's context class loader. */
final class OwnContext {

  private static final List<Class<?>> POWERS =
      List.of(Suspendable.class, Snapshotting.class, Lifetime.class, Volumes.class, Probing.class);

  private final ClassLoader loader;

  OwnContext(ClassLoader loader) {
    this.loader = loader;
  }

  /** Until it is closed, the thread's context class loader is the extension's. */
  interface Scope extends AutoCloseable {
    @Override
    void close();
  }

  Scope enter() {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    return () -> thread.setContextClassLoader(before);
  }

  /**
   * The same extension, with the context set around each call. It has exactly the optional powers
   * of the original, which a hand-written wrapper could not have.
   */
  SandboxExtension around(SandboxExtension extension) {
    List<Class<?>> interfaces = new ArrayList<>(List.of(SandboxExtension.class));
    POWERS.stream().filter(power -> power.isInstance(extension)).forEach(interfaces::add);
    return (SandboxExtension)
        Proxy.newProxyInstance(
            SandboxExtension.class.getClassLoader(),
            interfaces.toArray(Class<?>[]::new),
            (proxy, method, arguments) -> {
              try (Scope _ = enter()) {
                return method.invoke(extension, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }
}
