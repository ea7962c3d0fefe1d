package dev.sandboxer.platform.api;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that bodies may take while they arrive: an eighth of the heap for all, a quarter of
 * that for one address. Small bodies, which nearly all are, always find room: the number of
 * connections bounds them. Usable from any thread.
 */
@ApplicationScoped
class BodyBudget {

  /** Up to here a body is small, in bytes. */
  static final int SMALL = 16 << 10;

  private static final int PART_OF_HEAP = 8;
  private static final int PART_OF_ADDRESS = 4;

  private final long most;
  private final long mostOfAddress;
  private final AtomicLong taken = new AtomicLong();
  private final Map<String, Long> byAddress = new ConcurrentHashMap<>();

  BodyBudget() {
    this(Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
  }

  BodyBudget(long most) {
    this.most = most;
    this.mostOfAddress = most / PART_OF_ADDRESS;
  }

  /** Room for one body, which may grow. To be closed once the body was received, or was not. */
  Share share(String address) {
    return new Share(address);
  }

  private void add(String address, long bytes) {
    taken.addAndGet(bytes);
    byAddress.merge(address, bytes, (known, more) -> known + more == 0 ? null : known + more);
  }

  /** One body's part. Used by one thread. */
  final class Share implements AutoCloseable {

    private final String address;
    private long bytes;

    private Share(String address) {
      this.address = address;
    }

    /**
     * Makes it at least that large.
     *
     * @param wanted in bytes
     * @throws ProblemException OVERLOADED where there is no room
     */
    void atLeast(long wanted) {
      long more = wanted - bytes;
      if (wanted <= SMALL || more <= 0) {
        return;
      }
      add(address, more);
      bytes = wanted;
      if (taken.get() > most || byAddress.getOrDefault(address, 0L) > mostOfAddress) {
        throw new ProblemException(
            ErrorCode.OVERLOADED,
            "too many large bodies are being received"
                + (taken.get() > most ? "" : " from this address")
                + "; send it again in some seconds");
      }
    }

    @Override
    public void close() {
      if (bytes > 0) {
        add(address, -bytes);
        bytes = 0;
      }
    }
  }
}
