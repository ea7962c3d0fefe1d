package dev.sandboxer.cli.top;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.sandbox.SandboxId;
import dev.sandboxer.cli.terminal.Table;
import dev.sandboxer.dataplane.DataplaneCalls;
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
  private static final long SECOND = 1000;

  /** Two lines up, and what is there is gone. */
  private static final String AGAIN = "\u001b[2A\u001b[J";

  @Parameters(paramLabel = "SANDBOX", description = "The sandbox's id.")
  private String id = "";

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "2",
      description = "How often on a terminal (default: ${DEFAULT-VALUE}).")
  private int interval = 2;

  public TopVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (interval < 1) {
      throw Failure.usage("--interval " + interval + " must be at least 1 second");
    }
    DataplaneCalls calls = new DataplaneCalls(context().dataplane(SandboxId.of(id)));
    if (json()) {
      print(calls.get("/metrics"));
    } else if (context().console().streams().outTerminal()) {
      repeat(calls);
    } else {
      show(sample(calls), null);
    }
    return ExitCode.OK;
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
      Thread.sleep(interval * SECOND);
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
