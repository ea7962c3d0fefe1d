package dev.sandboxer.spi;

/**
 * Opens duplex byte streams to boxd. Usable from several threads at once. Openers that are equal
 * share their connections and their limit.
 *
 * <p>Promises of the platform:
 *
 * <ol>
 *   <li>It never has more than {@link #maxStreams()} open or opening. A request waits for a free
 *       one for a bounded time and fails then.
 *   <li>It opens, reads, writes and closes on virtual threads, where each call may block.
 *   <li>One thread reads a stream and one writes it. It closes each stream, also one that {@link
 *       #open} returned after its call was cancelled.
 * </ol>
 */
public interface ByteStreamOpener {

  /**
   * How many streams may be open at once. A WebSocket keeps its stream for as long as it lasts.
   * Quick and always the same: it is called on an event loop.
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
