package dev.sandboxer.spi;

/**
 * The entry that {@link java.util.ServiceLoader} finds in an extension's jars.
 *
 * <p>It has a public constructor without parameters that does nothing slow. Both methods are called
 * once, at the platform's start, on one thread.
 */
public interface SandboxExtensionProvider {

  /**
   * Says what the extension is and can do. Must not touch the backend.
   *
   * @return the same value on each call
   */
  ExtensionDescriptor descriptor();

  /**
   * Makes the extension. It may read its settings and prepare folders; it must not wait for the
   * backend, which may come later than the platform.
   *
   * @param config the extension's own settings
   * @param context what the platform lends
   * @return the extension, used until {@link SandboxExtension#close()}
   * @throws ExtensionException with {@link ErrorCode#VALIDATION} if a setting is wrong; the
   *     extension is then listed as failed with that message
   */
  SandboxExtension create(ExtensionConfig config, ExtensionContext context)
      throws ExtensionException;
}
