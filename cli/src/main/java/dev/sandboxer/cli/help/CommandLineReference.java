package dev.sandboxer.cli.help;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Every verb and option of the command line, from its own model. */
final class CommandLineReference {
  private final CommandLine all;
  private final Markdown page = new Markdown();

  CommandLineReference(CommandLine all) {
    this.all = all;
  }

  String page() {
    page.heading(1, "Command line: reference")
        .paragraph(
            "Made by `./sandboxer reference > docs/reference/cli.md`; a test compares it with the"
                + " command line. [cli.md](../cli.md) explains how the verbs work together.")
        .paragraph(
            "Every verb but the script's own also takes `--help`, `--version`, `--json` and"
                + " `--color=auto|always|never`.")
        .table(List.of("verb", ""), overview());
    Shown.shown(all).forEach(verb -> describe(verb, 2));
    page.heading(2, "Exit codes").paragraph(exitCodes());
    return page.text();
  }

  private List<List<String>> overview() {
    List<List<String>> rows = new ArrayList<>();
    for (CommandSpec verb : Shown.shown(all)) {
      rows.add(List.of("[`%s`](#%s)".formatted(verb.name(), verb.name()), Shown.description(verb)));
    }
    return rows;
  }

  private void describe(CommandSpec verb, int level) {
    page.heading(level, name(verb)).paragraph(Shown.description(verb)).code("text", synopsis(verb));
    page.table(List.of("argument", ""), arguments(verb));
    page.table(List.of("option", ""), options(verb));
    String footer = String.join("\n", verb.usageMessage().footer()).strip();
    if (!footer.isEmpty()) {
      page.code("text", footer);
    }
    Shown.shown(verb.commandLine()).forEach(inner -> describe(inner, level + 1));
  }

  private static String name(CommandSpec verb) {
    return verb.qualifiedName().replaceFirst("^\\S+ ", "");
  }

  private static String synopsis(CommandSpec verb) {
    return new Help(verb, Help.defaultColorScheme(Help.Ansi.OFF)).synopsis(0).stripTrailing();
  }

  private static List<List<String>> arguments(CommandSpec verb) {
    List<List<String>> rows = new ArrayList<>();
    for (PositionalParamSpec argument : verb.positionalParameters()) {
      rows.add(
          List.of(
              Markdown.quoted(argument.paramLabel()), String.join(" ", argument.description())));
    }
    return rows;
  }

  private static List<List<String>> options(CommandSpec verb) {
    List<List<String>> rows = new ArrayList<>();
    for (OptionSpec option : verb.options()) {
      boolean everywhere =
          List.of("--help", "--version", "--json", "--color").contains(option.longestName());
      if (!option.hidden() && !everywhere) {
        rows.add(List.of(Markdown.quoted(forms(option)), Shown.description(option)));
      }
    }
    return rows;
  }

  private static String forms(OptionSpec option) {
    String names = String.join(", ", Arrays.asList(option.names()));
    return option.arity().max() > 0 ? names + " " + option.paramLabel() : names;
  }

  private String exitCodes() {
    return String.join("\n", all.getCommandSpec().usageMessage().footer())
            .replaceFirst("(?s)^.*?Exit codes: the", "The")
        + " The [guide](../cli.md#exit-codes) has them as a table.";
  }
}
