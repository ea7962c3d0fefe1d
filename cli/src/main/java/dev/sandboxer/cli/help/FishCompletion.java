package dev.sandboxer.cli.help;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Completion for fish: a line a verb, a line an option. */
final class FishCompletion {
  private final CommandLine all;
  private final List<String> lines = new ArrayList<>();

  FishCompletion(CommandLine all) {
    this.all = all;
  }

  String script() {
    String name = all.getCommandName();
    lines.add("# completion of " + name + " for fish");
    for (CommandSpec verb : Shown.shown(all)) {
      lines.add(
          "complete -c %s -n __fish_use_subcommand -f -a %s -d %s"
              .formatted(name, verb.name(), quoted(Shown.description(verb))));
      for (CommandSpec inner : Shown.shown(verb.commandLine())) {
        lines.add(
            "complete -c %s -n '__fish_seen_subcommand_from %s' -f -a %s -d %s"
                .formatted(name, verb.name(), inner.name(), quoted(Shown.description(inner))));
      }
      verb.options().stream()
          .filter(option -> !option.hidden())
          .forEach(o -> option(name, verb, o));
    }
    return String.join("\n", lines);
  }

  private void option(String name, CommandSpec verb, OptionSpec option) {
    StringBuilder line =
        new StringBuilder(
            "complete -c %s -n '__fish_seen_subcommand_from %s'".formatted(name, verb.name()));
    for (String form : option.names()) {
      line.append(form.startsWith("--") ? " -l " : " -s ").append(form.replaceFirst("^-+", ""));
    }
    if (option.arity().max() > 0) {
      line.append(" -r");
    }
    line.append(" -d ").append(quoted(Shown.description(option)));
    lines.add(line.toString());
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
