package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.terminal.Streams;
import dev.sandboxer.dataplane.exec.CommandRequest;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How a command runs inside: the options that every verb has which runs one. */
final class CommandOptions {
  @Mixin private final CommandSettings settings = new CommandSettings();

  @Option(
      names = {"-i", "--interactive"},
      description = "Forward standard input even when it is a terminal.")
  private boolean interactive;

  @Option(
      names = {"-t", "--tty"},
      description = "Give the command a terminal: this one, with every key; -i is implied.")
  private boolean tty;

  CommandRequest request(List<String> words) {
    return settings.request(words);
  }

  /** What is forwarded; null gives the command an empty input. */
  @Nullable InputStream stdin(Streams streams) {
    return interactive || !streams.terminal() ? streams.in() : null;
  }

  /** Whether the command gets a terminal. */
  boolean tty() {
    return tty;
  }

  boolean quiet() {
    return settings.quiet();
  }
}
