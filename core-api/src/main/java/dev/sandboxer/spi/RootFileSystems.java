package dev.sandboxer.spi;

/**
 * An extension that can say which files a sandbox begins with. The platform keeps what a profile's
 * setup has made for as long as the answer is the same; of an extension without this it looks at
 * the image's name alone.
 */
public interface RootFileSystems {

  /**
   * Says which root file system a sandbox would get, and fetches it first where that is needed.
   *
   * @param request as {@link SandboxExtension#provision} would get it; nothing is made of it
   * @param call deadline, cancellation, progress
   * @return the same text as long as it is the same files, such as the image's digest
   * @throws ExtensionException as for {@link SandboxExtension#provision}, with {@link
   *     Outcome#NOTHING_CREATED}
   */
  String rootDigest(ProvisionRequest request, Call call) throws ExtensionException;
}
