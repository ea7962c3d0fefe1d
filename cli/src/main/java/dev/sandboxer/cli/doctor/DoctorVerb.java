package dev.sandboxer.cli.doctor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.client.Endpoint;
import dev.sandboxer.cli.terminal.Escapes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What this machine has and lacks, and the one command that mends each thing. */
@Command(
    name = "doctor",
    description = "Say what works here, what does not, why, and what mends it.")
public final class DoctorVerb extends Verb {
  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description = "Look at this backend alone: nsjail or docker.")
  private @Nullable String backend;

  public DoctorVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (backend != null) {
      return only(backend);
    }
    List<Check> nsjail = new NsjailCheck(context().json(), context().environment()).look();
    List<Check> docker = new DockerCheck(context().json(), context().environment()).look();
    List<Check> platform = new PlatformCheck(context()).look();
    List<Check> checks =
        new ArrayList<>(
            Machine.read(context().environment().getOrDefault("SANDBOXER_MACHINE", "")));
    checks.add(HomeCheck.of(Endpoint.home(context().environment())));
    checks.addAll(platform);
    checks.addAll(nsjail);
    checks.addAll(docker);
    boolean local = nsjail.getFirst().ok() || docker.getFirst().ok();
    boolean usable = local || (remote() && platform.getFirst().ok());
    return tell(checks, usable);
  }

  private Integer only(String name) throws InterruptedException {
    List<Check> checks =
        switch (name) {
          case "docker" -> new DockerCheck(context().json(), context().environment()).look();
          case "nsjail" -> new NsjailCheck(context().json(), context().environment()).look();
          default -> throw Failure.usage("--backend " + name + ": nsjail or docker");
        };
    return tell(checks, checks.getFirst().ok());
  }

  private Integer tell(List<Check> checks, boolean usable) {
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
