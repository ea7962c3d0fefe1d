package dev.sandboxer.cli.box;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.CommandWords;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.dataplane.CommandStatus;
import dev.sandboxer.cli.sandbox.CommandSettings;
import dev.sandboxer.cli.sandbox.Hint;
import dev.sandboxer.cli.sandbox.Words;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.dataplane.exec.CommandEnd;
import dev.sandboxer.dataplane.exec.CommandRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command in a box. */
@Command(
    name = "exec",
    description = "Run a command in a box; one whose sandbox has ended is made again first.",
    customSynopsis = "sandboxer box exec [OPTIONS] BOX [--] CMD [ARG...]",
    footer = {
      "",
      "Output comes once the command has ended, of each stream the first MiB, and --timeout is 60s if left",
      "out. For more, and for a terminal: sandboxer exec, with the sandbox that sandboxer box show names."
    })
final class ExecVerb extends Verb {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

  @Parameters(index = "0", paramLabel = "BOX", description = "The box's id.")
  private String id = "";

  @Parameters(
      index = "1..*",
      paramLabel = "CMD",
      description = "The command and its arguments.",
      preprocessor = CommandWords.class)
  private List<String> command = new ArrayList<>();

  @Mixin private final CommandSettings settings = new CommandSettings();

  @Option(
      names = {"-i", "--stdin"},
      description = "Give the command our standard input, text of at most 1 MB, read to its end.")
  private boolean stdin;

  ExecVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    String path = BoxPath.of(id) + "/exec";
    CommandRequest request =
        settings.request(Words.of(command, "box exec " + id + " -- CMD [ARG...]"));
    JsonNode reply =
        context().api().waiting(longest(request)).post(path, body(request), Map.of()).body();
    CommandEnd end = ended(reply);
    if (json()) {
      print(reply);
    } else {
      show(reply, end);
    }
    return CommandStatus.of(end);
  }

  /** How long the command may take; the wait for a sandbox is within what every call may take. */
  private static Duration longest(CommandRequest request) {
    Duration timeout = request.timeout();
    return timeout == null ? DEFAULT_TIMEOUT : timeout;
  }

  private ObjectNode body(CommandRequest request) {
    ObjectNode body = context().json().createObjectNode();
    request.describe(body);
    Duration timeout = request.timeout();
    if (timeout != null) {
      body.put("timeout_ms", timeout.toMillis());
    }
    if (stdin) {
      body.put("stdin", InputText.read(context().console().streams().in()));
    }
    return body;
  }

  private static CommandEnd ended(JsonNode reply) {
    CommandEnd end = CommandEnd.of(reply);
    if (end.exitCode() == null && end.signal() == null && !end.timedOut()) {
      throw Failure.sandboxer(
          "the platform did not answer how the command ended: is it a Sandboxer platform?");
    }
    return end;
  }

  private void show(JsonNode reply, CommandEnd end) {
    ReplyOutput out = ReplyOutput.of(reply, "stdout");
    ReplyOutput err = ReplyOutput.of(reply, "stderr");
    if (reply.path("outcome").asText().equals("vanished")) {
      tell("the box's sandbox had ended; it was made again: " + reply.path("sandbox_id").asText());
      Lost.lines(reply).forEach(this::tell);
    }
    out.writeTo(context().console().streams().out());
    err.writeTo(context().console().streams().err());
    out.clipped().ifPresent(this::tell);
    err.clipped().ifPresent(this::tell);
    if (!settings.quiet()) {
      Hint.of(end, err.text()).ifPresent(hint -> tell("hint: " + hint.text()));
    }
  }

  private void tell(String line) {
    context().console().tell(Escapes.visible(line));
  }
}
