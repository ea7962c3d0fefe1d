package dev.sandboxer.dataplane.websocket;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** Keeps all that comes, until the connection ends. */
final class Collecting implements Listener {
  private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
  private final CompletableFuture<byte[]> end = new CompletableFuture<>();

  /** All bytes, once the other side has closed; fails with the error otherwise. */
  CompletableFuture<byte[]> end() {
    return end;
  }

  @Override
  public boolean onText(ByteBuffer part, boolean last) {
    return onBinary(part, last);
  }

  @Override
  public boolean onBinary(ByteBuffer part, boolean last) {
    byte[] bytes = new byte[part.remaining()];
    part.get(bytes);
    taken.writeBytes(bytes);
    return true;
  }

  @Override
  public void onClose(int status, String reason) {
    end.complete(taken.toByteArray());
  }

  @Override
  public void onError(Throwable error) {
    end.completeExceptionally(error);
  }
}
