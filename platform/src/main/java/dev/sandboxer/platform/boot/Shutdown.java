package dev.sandboxer.platform.boot;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a process that got SIGTERM alive until the main thread has taken everything down: the
 * virtual machine waits for its hooks, not for its threads.
 */
final class Shutdown implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final CountDownLatch down = new CountDownLatch(1);

  private final Duration patience;

  private Shutdown(Duration patience) {
    this.patience = patience;
  }

  /**
   * Makes it.
   *
   * @param drain how long the node goes on serving at first
   */
  static Shutdown hooked(Duration drain) {
    Shutdown shutdown = new Shutdown(PATIENCE.plus(drain));
    Runtime.getRuntime().addShutdownHook(new Thread(shutdown::await, "shutdown"));
    return shutdown;
  }

  private void await() {
    try {
      boolean clean = down.await(patience.toMillis(), TimeUnit.MILLISECONDS);
      if (!clean) {
        System.err.println("sandboxer: not everything stopped within " + patience);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    down.countDown();
  }
}
