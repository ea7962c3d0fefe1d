package dev.sandboxer.platform.extension;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives an extension the SPI, JSpecify, the JDK and its own jars, and nothing of the platform. A
 * convenience against version clashes, no boundary: an extension is part of the platform.
 */
final class ExtensionClassLoader extends URLClassLoader {

  private static final List<String> SHARED = List.of("dev.sandboxer.spi.", "org.jspecify.");

  private final ClassLoader spi;
  private final ClassLoader jdk = ClassLoader.getPlatformClassLoader();

  ExtensionClassLoader(String name, URL[] jars, ClassLoader spi) {
    super(name, jars, null);
    this.spi = spi;
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
