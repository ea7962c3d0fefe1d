package dev.sandboxer.cli.dataplane;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The first Ctrl-C goes to the command as it is, the second kills it, the third stops waiting for
 * it.
 */
final class SignalForwarder implements Consumer<String> {
  private final FrameSender sender;
  private final Thread waiting;
  private final AtomicInteger count = new AtomicInteger();

  SignalForwarder(FrameSender sender, Thread waiting) {
    this.sender = sender;
    this.waiting = waiting;
  }

  @Override
  public void accept(String name) {
    switch (count.incrementAndGet()) {
      case 1 -> sender.text(CommandSocket.signal(name));
      case 2 -> sender.text(CommandSocket.signal("KILL"));
      default -> waiting.interrupt();
    }
  }
}
