package dev.sandboxer.cli.doctor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Endpoint;
import dev.sandboxer.cli.terminal.Escapes;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** What this machine has and lacks, and the one command that mends each thing. */
@Command(
    name = "doctor",
    description = "Say what works here, what does not, why, and what mends it.")
public final class DoctorVerb extends Verb {
  public DoctorVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    List<Check> backends = new NsjailCheck(context().json(), context().environment()).look();
    List<Check> platform = new PlatformCheck(context().api()).look();
    List<Check> checks =
        new ArrayList<>(
            Machine.read(context().environment().getOrDefault("SANDBOXER_MACHINE", "")));
    checks.add(HomeCheck.of(Endpoint.home(context().environment())));
    checks.addAll(platform);
    checks.addAll(backends);
    boolean usable = backends.getFirst().ok() || (remote() && platform.getFirst().ok());
    if (json()) {
      print(document(checks, usable));
    } else {
      checks.forEach(this::tell);
      context().console().result(usable ? "Sandboxes can run." : "No sandbox can run here yet.");
    }
    return usable ? ExitCode.OK : ExitCode.FAILED;
  }

  private boolean remote() {
    return !context().environment().getOrDefault("SANDBOXER_URL", "").isEmpty();
  }

  private void tell(Check check) {
    context()
        .console()
        .result(
            Escapes.visible(
                (check.ok() ? "ok    " : "BAD   ") + check.name() + ": " + check.detail()));
    if (!check.remedy().isEmpty()) {
      context().console().result(Escapes.visible("      -> " + check.remedy()));
    }
  }

  private ObjectNode document(List<Check> checks, boolean usable) {
    ObjectNode document = context().json().createObjectNode().put("usable", usable);
    ArrayNode items = document.putArray("checks");
    checks.forEach(check -> check.describe(items.addObject()));
    return document;
  }
}
