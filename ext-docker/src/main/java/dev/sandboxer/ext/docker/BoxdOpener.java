package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.ByteStreamOpener;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Outcome;

/**
 * Streams to the boxd of a container on another machine's Engine.
 *
 * @param engines the way there
 * @param host whose Engine
 * @param container by its id
 */
record BoxdOpener(Engines engines, HostRef host, String container) implements ByteStreamOpener {

  /** Each one is a process in the container, with {@link #THREADS} threads. */
  static final int STREAMS = 24;

  static final int THREADS = 5;

  @Override
  public int maxStreams() {
    return STREAMS;
  }

  @Override
  public ByteStream open(Call call) throws ExtensionException {
    try (Engine engine = engines.within(host, call)) {
      return engine.connect(container);
    } catch (ExtensionException e) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE, Outcome.NOTHING_CREATED, String.valueOf(e.getMessage()), e);
    }
  }
}
