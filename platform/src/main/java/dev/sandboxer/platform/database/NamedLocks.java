package dev.sandboxer.platform.database;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** Lets one at a time do something under a name. Names that nobody uses are forgotten. */
final class NamedLocks {

  private final Map<String, Turn> locks = new ConcurrentHashMap<>();

  /**
   * Does it when it is this thread's turn.
   *
   * @throws InterruptedException if the waiting thread is interrupted
   */
  <T> T inTurn(String name, Work<T> work) throws InterruptedException {
    Turn turn = locks.compute(name, (_, known) -> known == null ? Turn.first() : known.oneMore());
    try {
      turn.lock().lockInterruptibly();
      try {
        return work.run();
      } finally {
        turn.lock().unlock();
      }
    } finally {
      locks.computeIfPresent(name, (_, known) -> known.users() == 1 ? null : known.oneLess());
    }
  }

  /** What is done in turn. */
  @FunctionalInterface
  interface Work<T> {
    T run() throws InterruptedException;
  }

  private record Turn(ReentrantLock lock, int users) {

    static Turn first() {
      return new Turn(new ReentrantLock(true), 1);
    }

    Turn oneMore() {
      return new Turn(lock, users + 1);
    }

    Turn oneLess() {
      return new Turn(lock, users - 1);
    }
  }
}
