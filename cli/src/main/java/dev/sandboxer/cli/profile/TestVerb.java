package dev.sandboxer.cli.profile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.cli.dataplane.CommandStatus;
import dev.sandboxer.cli.dataplane.InterruptibleCommands;
import dev.sandboxer.cli.sandbox.Hint;
import dev.sandboxer.cli.sandbox.Listener;
import dev.sandboxer.cli.sandbox.OutputSink;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.Streams;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.exec.CommandEnd;
import dev.sandboxer.dataplane.exec.CommandRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a sandbox of a profile, says what holds in it, runs a command and removes it. */
@Command(
    name = "test",
    description =
        "Make a sandbox of a profile, say which limits are enforced, run a command, remove it.",
    customSynopsis = "sandboxer profile test NAME [--input K=V] [-- CMD [ARG...]]")
final class TestVerb extends Verb {
  private static final Duration CREATE = Duration.ofMinutes(5);
  private static final Duration DESTROY = Duration.ofSeconds(60);
  private static final List<String> LIMITS =
      List.of("uid", "cpus", "memory", "pids", "workspace", "tmp", "open_files");

  @Parameters(
      index = "0",
      paramLabel = "NAME",
      description = "The profile, optionally with @version.")
  private String name = "";

  @Option(
      names = "--input",
      paramLabel = "K=V",
      description = "What the profile declares under inputs; may be repeated.")
  private Map<String, String> inputs = Map.of();

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "CMD",
      description = "The command and its arguments (default: none).")
  private List<String> command = new ArrayList<>();

  private @Nullable String made;

  TestVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    Sandboxes sandboxes = new Sandboxes(context().api());
    try {
      JsonNode sandbox = sandboxes.create(body(), CREATE, id -> made = id, this::progress);
      ObjectNode found = findings(sandbox);
      if (!json()) {
        tell(found);
      }
      int status = command.isEmpty() ? ExitCode.OK : run(sandbox, found);
      if (json()) {
        print(found.put("exit_code", status));
      }
      return status;
    } finally {
      remove(sandboxes);
    }
  }

  private ObjectNode body() {
    ObjectNode body = context().json().createObjectNode().put("profile", name);
    body.putObject("consumer").put("actor", "adm").put("project", "profile-test");
    if (!inputs.isEmpty()) {
      inputs.forEach(body.putObject("inputs")::put);
    }
    return body;
  }

  private ObjectNode findings(JsonNode sandbox) {
    Set<String> lacking = new TreeSet<>();
    for (JsonNode condition : sandbox.path("conditions")) {
      if (condition.path("type").asText().equals("not_enforced")) {
        condition.path("detail").forEach(limit -> lacking.add(limit.asText()));
      }
    }
    ObjectNode found = context().json().createObjectNode();
    found.put("id", Sandboxes.id(sandbox));
    found.put(
        "profile",
        sandbox.path("profile_id").asText() + "@" + sandbox.path("profile_version").asInt());
    found.put("backend", sandbox.path("extension_id").asText());
    LIMITS.stream()
        .filter(limit -> !lacking.contains(limit))
        .forEach(found.putArray("enforced")::add);
    lacking.forEach(found.putArray("not_enforced")::add);
    return found;
  }

  private void tell(ObjectNode found) {
    line("profile", found.path("profile").asText());
    line("backend", found.path("backend").asText());
    line("enforced", words(found.path("enforced")));
    line("not enforced", words(found.path("not_enforced")));
  }

  private void line(String title, String value) {
    context().console().tell("%-13s %s".formatted(title + ":", value));
  }

  private static String words(JsonNode list) {
    List<String> words = new ArrayList<>();
    list.forEach(word -> words.add(word.asText()));
    return words.isEmpty() ? "-" : String.join(" ", words);
  }

  private int run(JsonNode sandbox, ObjectNode found) throws InterruptedException {
    Listener sink = new Listener(new Output(context().console().streams(), json()));
    Dataplane dataplane = context().dataplane(Sandboxes.id(sandbox));
    CommandEnd end =
        new InterruptibleCommands(context().interrupts())
            .run(dataplane, new CommandRequest(command, Map.of(), null, null), sink, null);
    if (context().interrupts().first() == null) {
      Hint.of(end, sink.errors()).ifPresent(hint -> hint(hint, found));
    }
    return CommandStatus.of(end);
  }

  private void hint(Hint hint, ObjectNode found) {
    found.put("hint", hint.text()).put("profile_key", hint.key());
    progress("hint: " + hint.text());
  }

  private void progress(String line) {
    if (!json()) {
      context().console().tell(Escapes.visible(line));
    }
  }

  private void remove(Sandboxes sandboxes) throws InterruptedException {
    String id = made;
    if (id != null) {
      boolean interrupted = Thread.interrupted();
      var _ = sandboxes.destroy(id, DESTROY);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The command's output as it comes; with {@code --json} all of it on standard error. */
  private record Output(Streams streams, boolean aside) implements OutputSink {
    @Override
    public void out(byte[] bytes) throws IOException {
      var target = aside ? streams.err() : streams.out();
      target.write(bytes);
      target.flush();
    }

    @Override
    public void err(byte[] bytes) throws IOException {
      streams.err().write(bytes);
      streams.err().flush();
    }

    @Override
    public void describe(ObjectNode document) {}
  }
}
