package dev.sandboxer.dataplane.frame;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.dataplane.OutputClosed;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A socket whose binary frames are output: the first byte of a frame names the channel. */
public abstract class OutputSocket extends FrameSocket {

  private static final int NONE = -1;

  private int channel = NONE;

  /** Reads texts by {@code json}. */
  protected OutputSocket(ObjectMapper json) {
    super(json);
  }

  /**
   * Writes a part of a frame.
   *
   * @param channel that the frame names
   * @param bytes of the part
   * @throws IOException if the receiver takes no more; the socket then fails with {@link
   *     OutputClosed}
   */
  protected abstract void write(int channel, byte[] bytes) throws IOException;

  @Override
  public boolean onBinary(ByteBuffer part, boolean last) {
    try {
      if (channel == NONE && part.hasRemaining()) {
        channel = part.get();
      }
      write(channel, bytes(part));
      if (last) {
        channel = NONE;
      }
      return true;
    } catch (IOException e) {
      fail(new OutputClosed(e));
      return false;
    }
  }
}
