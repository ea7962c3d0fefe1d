package dev.sandboxer.cli.help;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The verbs of a command line as they are shown: each once, without the hidden ones. */
final class Shown {
  private Shown() {}

  static List<CommandSpec> shown(CommandLine line) {
    List<CommandSpec> shown = new ArrayList<>();
    for (CommandLine verb : line.getSubcommands().values()) {
      CommandSpec spec = verb.getCommandSpec();
      if (!spec.usageMessage().hidden() && !shown.contains(spec)) {
        shown.add(spec);
      }
    }
    return shown;
  }

  static String description(CommandSpec verb) {
    return String.join(" ", verb.usageMessage().description());
  }

  /** With the default's value in it. */
  static String description(OptionSpec option) {
    return String.join(" ", option.description())
        .replace("${DEFAULT-VALUE}", String.valueOf(option.defaultValue()));
  }
}
