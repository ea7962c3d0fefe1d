package dev.sandboxer.tck.sample;

import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxExtensionProvider;

/** The guide's extension, which keeps every promise; the others are this with one thing broken. */
public class Sound implements SandboxExtensionProvider {
  private final SandboxExtensionProvider guide;

  public Sound() {
    try {
      guide =
          Class.forName("demo.ProcessProvider", true, getClass().getClassLoader())
              .asSubclass(SandboxExtensionProvider.class)
              .getConstructor()
              .newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public ExtensionDescriptor descriptor() {
    return guide.descriptor();
  }

  @Override
  public SandboxExtension create(ExtensionConfig config, ExtensionContext context)
      throws ExtensionException {
    return guide.create(config, context);
  }
}
