package dev.sandboxer.cli.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Registers a host. */
@Command(name = "add", description = "Register a place for sandboxes.")
final class AddHostVerb extends Verb {
  private static final Pattern ADDRESS =
      Pattern.compile("[a-z]+://(?:[^@/]*@)?(?<host>[A-Za-z0-9][A-Za-z0-9.-]*)(?::\\d+)?/?");
  private static final Pattern SIZE = Pattern.compile("([1-9]\\d{0,8})([KMGT]i)");

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
      names = "--address",
      paramLabel = "ADDRESS",
      description = "How the extension reaches it (default: the platform's own machine).")
  private @Nullable String address;

  @Option(
      names = "--node",
      paramLabel = "NODE",
      description = "The node that alone reaches it (default: the one that answers).")
  private @Nullable String node;

  @Option(names = "--region", paramLabel = "NAME", description = "Where it stands.")
  private @Nullable String region;

  @Option(
      names = {"-l", "--label"},
      paramLabel = "K=V",
      description = "A label for routing; may be repeated.")
  private Map<String, String> labels = Map.of();

  @Option(
      names = "--setting",
      paramLabel = "K=V",
      description = "A setting of the extension, text or JSON; may be repeated.")
  private Map<String, String> settings = Map.of();

  @Option(
      names = "--credential",
      paramLabel = "K=REF",
      description = "A secret by reference, env:NAME or file:/PATH; may be repeated.")
  private Map<String, String> credentials = Map.of();

  @Option(names = "--sandboxes", paramLabel = "N", description = "How many it takes at most.")
  private @Nullable Integer sandboxes;

  @Option(names = "--cpus", paramLabel = "N", description = "CPUs of all its sandboxes at most.")
  private @Nullable BigDecimal cpus;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description = "Memory of all its sandboxes at most, such as 16Gi.")
  private @Nullable String memory;

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
    if (address == null && match.matches()) {
      address = name;
      name = match.group("host").replace('.', '-').toLowerCase(Locale.ROOT);
    }
  }

  private ObjectNode body() {
    ObjectNode body =
        context().json().createObjectNode().put("name", name).put("extension", extension);
    put(body, "address", address);
    put(body, "node", node);
    put(body, "region", region);
    labels.forEach(body.withObject("/labels")::put);
    credentials.forEach(body.withObject("/credentials")::put);
    settings.forEach((key, value) -> body.withObject("/settings").set(key, value(value)));
    ObjectNode capacity = body.putObject("capacity");
    if (sandboxes != null) {
      capacity.put("sandboxes", sandboxes);
    }
    if (cpus != null) {
      capacity.put("cpus", cpus);
    }
    if (memory != null) {
      capacity.put("memory_bytes", bytes(memory));
    }
    return body;
  }

  private static void put(ObjectNode body, String field, @Nullable String value) {
    if (value != null) {
      body.put(field, value);
    }
  }

  /** What is no JSON is a text. */
  private JsonNode value(String text) {
    try {
      return context().json().readTree(text);
    } catch (JsonProcessingException e) {
      return TextNode.valueOf(text);
    }
  }

  private static long bytes(String size) {
    Matcher match = SIZE.matcher(size);
    if (!match.matches()) {
      throw Failure.usage("--memory " + size + " must be a size such as 512Mi or 16Gi");
    }
    int thousands = "KMGT".indexOf(match.group(2).charAt(0)) + 1;
    return Long.parseLong(match.group(1)) << (10 * thousands);
  }
}
