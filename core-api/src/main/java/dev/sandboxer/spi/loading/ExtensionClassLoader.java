package dev.sandboxer.spi.loading;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxExtensionProvider;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Gives an extension the SPI, JSpecify, the JDK and its own jars, and nothing of the platform. A
 * convenience against version clashes, no boundary: an extension is part of the platform.
 */
public final class ExtensionClassLoader extends URLClassLoader {

  /** The packages that all extensions share with the platform; copies in their jars are unused. */
  public static final List<String> SHARED = List.of("dev.sandboxer.spi.", "org.jspecify.");

  private final ClassLoader spi = SandboxExtensionProvider.class.getClassLoader();
  private final ClassLoader jdk = ClassLoader.getPlatformClassLoader();

  private ExtensionClassLoader(String name, URL[] urls) {
    super(name, urls, null);
  }

  /**
   * Makes the loader of one extension.
   *
   * @param name of the extension's folder, for stack traces
   * @param path its jars, or folders of classes, in order
   * @return the loader; it reads nothing yet
   */
  public static ExtensionClassLoader of(String name, List<Path> path) {
    URL[] urls = new URL[path.size()];
    for (int i = 0; i < urls.length; i++) {
      try {
        urls[i] = path.get(i).toUri().toURL();
      } catch (MalformedURLException e) {
        throw new IllegalArgumentException(path.get(i) + " is no place of classes", e);
      }
    }
    return new ExtensionClassLoader(name, urls);
  }

  /**
   * Finds the extension's entry.
   *
   * @return the provider, newly made
   * @throws ExtensionException VALIDATION if there is none, or more than one
   * @throws java.util.ServiceConfigurationError if the named class cannot be loaded or made
   */
  public SandboxExtensionProvider provider() throws ExtensionException {
    return only(SandboxExtensionProvider.class);
  }

  /**
   * Finds the one provider of a service that the jars name.
   *
   * @param service interface of the SPI
   * @param <P> its type
   * @return the provider, newly made
   * @throws ExtensionException VALIDATION if there is none, or more than one
   * @throws java.util.ServiceConfigurationError if the named class cannot be loaded or made
   */
  public <P> P only(Class<P> service) throws ExtensionException {
    List<P> found = new ArrayList<>();
    ServiceLoader.load(service, this).forEach(found::add);
    if (found.size() != 1) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          "its jars must name exactly one %s in META-INF/services and name %d"
              .formatted(service.getSimpleName(), found.size()));
    }
    return found.getFirst();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (SHARED.stream().anyMatch(name::startsWith)) {
      return spi.loadClass(name);
    }
    try {
      return jdk.loadClass(name);
    } catch (ClassNotFoundException e) {
      return super.loadClass(name, resolve);
    }
  }

  @Override
  public @Nullable URL getResource(String name) {
    return findResource(name);
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    return findResources(name);
  }
}
