package dev.sandboxer.cli.host;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Registers a host. */
@Command(name = "add", description = "Register a place for sandboxes.")
final class AddHostVerb extends Verb {
  private static final Pattern ADDRESS =
      Pattern.compile("[a-z]+://(?:[^@/]*@)?(?<host>[A-Za-z0-9][A-Za-z0-9.-]*)(?::\\d+)?/?");

  @Parameters(
      paramLabel = "NAME|ADDRESS",
      description = "What the host is called; or its address, and it is called as the machine.")
  private String name = "";

  @Option(
      names = "--extension",
      required = true,
      paramLabel = "EXT",
      description = "Whose place it is, such as ext.docker.")
  private String extension = "";

  @Option(
      names = "--node",
      paramLabel = "NODE",
      description = "The node that alone reaches it (default: the one that answers).")
  private @Nullable String node;

  @Mixin private final HostOptions options = new HostOptions();

  AddHostVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    nameByAddress();
    ObjectNode body = body();
    JsonNode host = context().api().post("/v1/hosts", body, Map.of()).body();
    if (json()) {
      print(host);
      return ExitCode.OK;
    }
    context().console().result(host.path("name").asText() + " registered");
    if (context().console().streams().terminal()
        && body.path("address").asText().startsWith("ssh://")) {
      new HostKeyQuestion(context(), name).ask(body.path("settings"));
    } else {
      context().console().tell("the platform probes it now; see sandboxer hosts");
    }
    return ExitCode.OK;
  }

  private void nameByAddress() {
    Matcher match = ADDRESS.matcher(name);
    if (options.address == null && match.matches()) {
      options.address = name;
      name = match.group("host").replace('.', '-').toLowerCase(Locale.ROOT);
    }
  }

  private ObjectNode body() {
    ObjectNode body =
        context().json().createObjectNode().put("name", name).put("extension", extension);
    if (node != null) {
      body.put("node", node);
    }
    options.into(body, context().json());
    return body;
  }
}
