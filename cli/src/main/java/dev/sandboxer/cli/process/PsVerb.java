package dev.sandboxer.cli.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.cli.dataplane.Dataplane;
import dev.sandboxer.cli.dataplane.DataplaneCalls;
import dev.sandboxer.cli.sandbox.SandboxId;
import dev.sandboxer.cli.terminal.Spans;
import dev.sandboxer.cli.terminal.Table;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The managed processes of a sandbox. */
@Command(name = "ps", description = "List the managed processes of a sandbox.")
public final class PsVerb extends Verb {
  @Parameters(paramLabel = "SANDBOX", description = "The sandbox's id.")
  private String id = "";

  public PsVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    Dataplane dataplane =
        new Dataplane(new Sandboxes(context().api()), context().clock(), SandboxId.of(id));
    JsonNode list =
        new DataplaneCalls(context().http(), context().json(), dataplane).get("/processes");
    if (json()) {
      print(list);
      return ExitCode.OK;
    }
    Table table =
        new Table("PROCESS", "STATE", "PID", "STARTED", "RESTARTS", "EXIT", "OUTPUT", "COMMAND");
    list.path("items").forEach(process -> add(table, process));
    print(table);
    return ExitCode.OK;
  }

  private void add(Table table, JsonNode process) {
    table.add(
        process.path("process_id").asText(),
        process.path("state").asText(),
        process.path("pid").asText("").replace("null", "-"),
        ago(process.path("started_at").asText()),
        process.path("restarts").asText(),
        ProcessEnd.of(process),
        Spans.bytes(
            process.path("stdout").path("next").asLong()
                + process.path("stderr").path("next").asLong()),
        words(process.path("command")));
  }

  private String ago(String time) {
    try {
      Duration span = Duration.between(Instant.parse(time), context().clock().instant());
      return Spans.of(span.isNegative() ? Duration.ZERO : span) + " ago";
    } catch (DateTimeParseException e) {
      return "-";
    }
  }

  private static String words(JsonNode command) {
    if (!command.isArray()) {
      return command.asText();
    }
    List<String> words = new ArrayList<>();
    command.forEach(word -> words.add(word.asText()));
    return String.join(" ", words);
  }
}
