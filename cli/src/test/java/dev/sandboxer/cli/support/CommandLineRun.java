package dev.sandboxer.cli.support;

import dev.sandboxer.cli.CommandLineFactory;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.terminal.Console;
import dev.sandboxer.cli.terminal.Interrupts;
import dev.sandboxer.cli.terminal.Streams;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** One call of the command line with captured streams. */
public final class CommandLineRun {
  private final Map<String, String> environment = new HashMap<>(Map.of("HOME", "/nonexistent"));
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private OutputStream results = out;
  private byte[] stdin = new byte[0];
  private boolean terminal;

  public static CommandLineRun against(StandIn platform) {
    return new CommandLineRun()
        .with("SANDBOXER_URL", platform.url())
        .with("SANDBOXER_KEY", StandIn.KEY);
  }

  public CommandLineRun with(String name, String value) {
    environment.put(name, value);
    return this;
  }

  public CommandLineRun stdin(String text) {
    return stdin(text.getBytes(StandardCharsets.UTF_8));
  }

  public CommandLineRun stdin(byte[] bytes) {
    stdin = bytes.clone();
    return this;
  }

  /** Standard output goes elsewhere. */
  public CommandLineRun out(OutputStream other) {
    results = other;
    return this;
  }

  public CommandLineRun terminal() {
    terminal = true;
    return this;
  }

  /** Runs to the end and answers the exit code. */
  public int run(String... arguments) {
    return run(new Interrupts(), arguments);
  }

  private int run(Interrupts interrupts, String... arguments) {
    Streams streams =
        new Streams(new ByteArrayInputStream(stdin), results, err, terminal, terminal, terminal);
    try (Context context =
        new Context(environment, new Console(streams), interrupts, Clock.systemUTC())) {
      return CommandLineFactory.execute(context, arguments);
    }
  }

  /** Runs aside; {@code signals} gets what Ctrl-C goes to. */
  public CompletableFuture<Integer> start(
      CompletableFuture<Interrupts> signals, String... arguments) {
    CompletableFuture<Integer> end = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              Interrupts interrupts = new Interrupts();
              signals.complete(interrupts);
              end.complete(run(interrupts, arguments));
            });
    return end;
  }

  public String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  public byte[] outBytes() {
    return out.toByteArray();
  }

  public String err() {
    return err.toString(StandardCharsets.UTF_8);
  }
}
