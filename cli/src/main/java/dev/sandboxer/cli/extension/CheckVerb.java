package dev.sandboxer.cli.extension;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Console;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.loading.ExtensionCheck;
import dev.sandboxer.loading.Finding;
import dev.sandboxer.loading.PluginDescription;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Loads an extension or another plug-in as the platform would, and says a reason a line. */
@Command(
    name = "check",
    description = {
      "Load a jar, or a folder of jars, as the platform would, and say what stands in the way.",
      "It may be an extension, a kind of sink or a kind of secret store. Exit code 1 if it cannot be",
      "used. An extension is also made with empty folders and closed, without use of its backend;",
      "settings are read from the environment, SANDBOXER_EXT_NAME_KEY."
    })
final class CheckVerb extends Verb {
  @Parameters(
      paramLabel = "JAR-OR-FOLDER",
      description = "A jar, or a folder as in extensions/, sinks/ or secret-stores/.")
  private Path place = Path.of("");

  CheckVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    if (!Files.exists(place)) {
      throw Failure.usage(place + " is not there: name a jar or a folder of jars");
    }
    ExtensionCheck.Report report = ExtensionCheck.of(place);
    if (json()) {
      print(document(report));
    } else {
      tell(report);
    }
    return report.good() ? ExitCode.OK : ExitCode.FAILED;
  }

  private void tell(ExtensionCheck.Report report) {
    Console console = context().console();
    for (Finding finding : report.findings()) {
      String line = (finding.ok() ? "ok    " : "BAD   ") + finding.name() + ": " + finding.detail();
      console.result(Escapes.visible(line));
    }
    console.result(report.good() ? "It can be loaded." : "It cannot be used.");
  }

  private ObjectNode document(ExtensionCheck.Report report) {
    ObjectNode document = context().json().createObjectNode().put("usable", report.good());
    report.descriptor().ifPresent(d -> document.put("id", d.id()).put("version", d.version()));
    report.sink().ifPresent(sink -> tell(document, "sink", sink));
    report.store().ifPresent(store -> tell(document, "secret_store", store));
    ArrayNode checks = document.putArray("checks");
    for (Finding finding : report.findings()) {
      checks
          .addObject()
          .put("name", finding.name())
          .put("ok", finding.ok())
          .put("detail", finding.detail());
    }
    return document;
  }

  private static void tell(ObjectNode document, String sort, PluginDescription said) {
    ArrayNode settings = document.put(sort, said.kind()).putArray("settings");
    said.settings().stream().sorted().forEach(settings::add);
  }
}
