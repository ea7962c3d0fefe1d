package dev.sandboxer.cli.process;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Spans;
import dev.sandboxer.cli.terminal.Table;
import dev.sandboxer.dataplane.process.ManagedProcess;
import dev.sandboxer.dataplane.process.Processes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The managed processes of a sandbox. */
@Command(name = "ps", description = "List the managed processes of a sandbox.")
public final class PsVerb extends Verb {
  @Parameters(paramLabel = "SANDBOX", description = "Its id, the beginning of one, or its name.")
  private String id = "";

  public PsVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    List<ManagedProcess> processes =
        new Processes(context().dataplane(context().sandbox(id))).list();
    if (json()) {
      ObjectNode document = context().json().createObjectNode();
      ArrayNode items = document.putArray("items");
      processes.forEach(process -> items.add(process.json()));
      print(document);
      return ExitCode.OK;
    }
    Table table =
        new Table("PROCESS", "STATE", "PID", "STARTED", "RESTARTS", "EXIT", "OUTPUT", "COMMAND");
    processes.forEach(process -> add(table, process));
    print(table);
    return ExitCode.OK;
  }

  private void add(Table table, ManagedProcess process) {
    table.add(
        process.id(),
        process.state(),
        process.pid().map(String::valueOf).orElse("-"),
        process.startedAt().map(this::ago).orElse("-"),
        String.valueOf(process.restarts()),
        ProcessEnd.of(process.end()),
        Spans.bytes(process.outputBytes()),
        String.join(" ", process.command()));
  }

  private String ago(Instant time) {
    Duration span = Duration.between(time, context().clock().instant());
    return Spans.of(span.isNegative() ? Duration.ZERO : span) + " ago";
  }
}
