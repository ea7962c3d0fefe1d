package dev.sandboxer.cli.terminal;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/**
 * What Ctrl-C, TERM and HUP do. Unless told otherwise they interrupt the thread that made this
 * object, so that the work in hand ends and cleans up; while a command runs they are handed to it
 * instead.
 */
public final class Interrupts {
  private final Consumer<String> interruptOwner;
  private final AtomicReference<Consumer<String>> action;
  private final AtomicReference<@Nullable String> first = new AtomicReference<>();

  public Interrupts() {
    Thread owner = Thread.currentThread();
    this.interruptOwner = name -> owner.interrupt();
    this.action = new AtomicReference<>(interruptOwner);
  }

  /** Takes over the process's signals. */
  public void install() {
    for (String name : new String[] {"INT", "TERM", "HUP"}) {
      Signal.handle(new Signal(name), signal -> arrive(signal.getName()));
    }
  }

  /** A signal arrived. */
  public void arrive(String name) {
    first.compareAndSet(null, name);
    action.get().accept(name);
  }

  /** Hands signals to {@code receiver} until the result is closed. */
  public Scope handTo(Consumer<String> receiver) {
    action.set(receiver);
    return () -> action.set(interruptOwner);
  }

  /** The first signal that arrived, or null. */
  public @Nullable String first() {
    return first.get();
  }

  /** Ends a {@link #handTo}. */
  @FunctionalInterface
  public interface Scope extends AutoCloseable {
    @Override
    void close();
  }
}
