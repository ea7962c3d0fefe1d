package dev.sandboxer.ssh.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A connection's way out. One thread of its own writes: the JDK closes a socket when a virtual
 * thread is interrupted while it writes, and one cancelled call would end everybody's connection.
 * Callers wait only while the buffer is full, and for that nobody can interrupt them, since half a
 * packet would end the connection as well.
 */
final class Outlet extends OutputStream {

  private static final int ROOM = 256 * 1024;

  private final OutputStream target;
  private final long patience;
  private final Runnable abort;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private byte[] filling = new byte[ROOM];
  private byte[] leaving = new byte[ROOM];
  private int count;
  private long moved = System.nanoTime();
  private @Nullable IOException failure;

  /**
   * Starts the thread.
   *
   * @param target where to write
   * @param patience how long the other side may take nothing at all: a healthy server always reads
   * @param abort ends the connection, so that the thread ends
   */
  Outlet(OutputStream target, String name, Duration patience, Runnable abort) {
    this.target = target;
    this.patience = patience.toNanos();
    this.abort = abort;
    Thread.ofPlatform().daemon().name("ssh-writer " + name).start(this::forward);
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    int done = 0;
    lock.lock();
    try {
      while (done < length) {
        awaitRoom();
        int part = Math.min(length - done, ROOM - count);
        System.arraycopy(source, offset + done, filling, count, part);
        count += part;
        done += part;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private void awaitRoom() throws IOException {
    boolean interrupted = false;
    try {
      while (failure == null && count == ROOM) {
        long left = patience - (System.nanoTime() - moved);
        if (left <= 0) {
          fail(new IOException("the server took no data for " + patience / 1_000_000_000 + " s"));
          Thread.ofVirtual().start(abort);
        }
        try {
          changed.awaitNanos(Math.max(left, 1));
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (failure != null) {
        throw new IOException(failure.getMessage(), failure);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void forward() {
    try {
      while (true) {
        int length = take();
        if (length < 0) {
          return;
        }
        target.write(leaving, 0, length);
        target.flush();
      }
    } catch (IOException | InterruptedException e) {
      fail(e instanceof IOException io ? io : new IOException(e));
      abort.run();
    }
  }

  private int take() throws InterruptedException {
    lock.lock();
    try {
      moved = System.nanoTime();
      while (count == 0 && failure == null) {
        changed.await();
      }
      if (failure != null) {
        return -1;
      }
      moved = System.nanoTime();
      byte[] full = filling;
      filling = leaving;
      leaving = full;
      int length = count;
      count = 0;
      changed.signalAll();
      return length;
    } finally {
      lock.unlock();
    }
  }

  private void fail(IOException e) {
    lock.lock();
    try {
      if (failure == null) {
        failure = e;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends the thread. What was not written yet is lost. */
  @Override
  public void close() {
    fail(new IOException("the connection is closed"));
  }
}
