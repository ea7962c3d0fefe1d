package dev.sandboxer.spi;

/** Opens duplex byte streams to boxd. */
public interface ByteStreamOpener {

  /**
   * How many streams may be open at once.
   *
   * @return at least 1
   */
  int maxStreams();

  /**
   * Opens a stream.
   *
   * @param call deadline and cancellation of the opening alone
   * @return an open stream
   * @throws ExtensionException with {@link ErrorCode#UNAVAILABLE} if it cannot be opened
   */
  ByteStream open(Call call) throws ExtensionException;
}
