package dev.sandboxer.bench.records;

import dev.sandboxer.bench.http.Endpoint;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Orders a sweep as soon as the one before is done, until it is closed. */
final class BackgroundSweeps implements AutoCloseable {

  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Future<Integer> done;
  private volatile boolean over;

  BackgroundSweeps(Endpoint api) {
    done = thread.submit(() -> sweep(api));
  }

  private int sweep(Endpoint api) throws IOException, InterruptedException {
    int count = 0;
    try (Sweeps sweeps = new Sweeps(api)) {
      while (!over) {
        var _ = sweeps.one();
        count++;
      }
    }
    return count;
  }

  /** Waits for the last one; that none was made is a failure. */
  @Override
  public void close() throws IOException {
    over = true;
    try {
      if (done.get() == 0) {
        throw new IOException("no sweep ran meanwhile");
      }
    } catch (ExecutionException e) {
      throw new IOException("a sweep failed meanwhile", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      thread.shutdownNow();
    }
  }
}
