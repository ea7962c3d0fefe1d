package dev.sandboxer.cli.top;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.TimeSpan;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Table;
import dev.sandboxer.dataplane.DataplaneCalls;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What a sandbox uses. */
@Command(
    name = "top",
    description = "Show what a sandbox uses, again and again on a terminal, else once.",
    footer = {
      "",
      "The figures are told by the sandbox itself, for display only. - is what cannot be seen there."
    })
public final class TopVerb extends Verb {
  /** Two lines up, and what is there is gone. */
  private static final String AGAIN = "\u001b[2A\u001b[J";

  @Parameters(paramLabel = "SANDBOX", description = "Its id, the beginning of one, or its name.")
  private String id = "";

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      converter = TimeSpan.class,
      defaultValue = "2s",
      description = "How often on a terminal (default: ${DEFAULT-VALUE}).")
  private Duration interval = Duration.ofSeconds(2);

  public TopVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    DataplaneCalls calls = new DataplaneCalls(context().dataplane(context().sandbox(id)));
    if (json()) {
      print(calls.get("/metrics"));
    } else if (context().console().streams().outTerminal()) {
      untilInterrupted(calls);
    } else {
      show(sample(calls), null);
    }
    return ExitCode.OK;
  }

  /** Ctrl-C is how a person ends it, and no error. */
  private void untilInterrupted(DataplaneCalls calls) throws InterruptedException {
    try {
      repeat(calls);
    } catch (InterruptedException e) {
      if (context().interrupts().first() == null) {
        throw e;
      }
    }
  }

  private void repeat(DataplaneCalls calls) throws InterruptedException {
    Sample before = null;
    while (true) {
      Sample now = sample(calls);
      if (before != null) {
        context().console().resultPart(AGAIN);
      }
      show(now, before);
      before = now;
      Thread.sleep(interval);
    }
  }

  private static Sample sample(DataplaneCalls calls) throws InterruptedException {
    return new Sample(calls.get("/metrics"), System.nanoTime());
  }

  private void show(Sample now, @Nullable Sample before) {
    Table table = new Table("CPU", "MEMORY", "PEAK", "PROCESSES", "DISK", "OOM KILLS");
    table.add(now.cpu(before), now.memory(), now.peak(), now.processes(), now.disk(), now.kills());
    print(table);
  }
}
