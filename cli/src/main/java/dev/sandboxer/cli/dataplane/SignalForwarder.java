package dev.sandboxer.cli.dataplane;

import dev.sandboxer.dataplane.exec.RunningCommand;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The first Ctrl-C goes to the command as it is, the second kills it, the third stops waiting for
 * it.
 */
final class SignalForwarder implements Consumer<String> {
  private final RunningCommand command;
  private final Thread waiting;
  private final AtomicInteger count = new AtomicInteger();

  SignalForwarder(RunningCommand command, Thread waiting) {
    this.command = command;
    this.waiting = waiting;
  }

  @Override
  public void accept(String name) {
    switch (count.incrementAndGet()) {
      case 1 -> command.signal(name);
      case 2 -> command.signal("KILL");
      default -> waiting.interrupt();
    }
  }
}
