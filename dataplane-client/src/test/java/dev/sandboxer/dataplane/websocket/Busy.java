package dev.sandboxer.dataplane.websocket;

import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;

/** Takes nothing before it is free. */
final class Busy implements Listener {
  final CountDownLatch free = new CountDownLatch(1);

  @Override
  public boolean onText(ByteBuffer part, boolean last) {
    return true;
  }

  @Override
  public boolean onBinary(ByteBuffer part, boolean last) {
    return await(free);
  }

  /** Whether it opened. */
  static boolean await(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  @Override
  public void onClose(int status, String reason) {}

  @Override
  public void onError(Throwable error) {}
}
