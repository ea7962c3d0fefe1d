package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.dataplane.BoxdClient.BoxdException;
import dev.sandboxer.platform.dataplane.BoxdCommands;
import dev.sandboxer.platform.dataplane.Command;
import dev.sandboxer.platform.dataplane.CommandResult;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.profile.Setup;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Runs the steps of a setup, one after the other, and says which one failed and what it wrote. */
@ApplicationScoped
class SetupSteps {

  private static final int SHOWN_COMMAND = 200;
  private static final int SHOWN_OUTPUT = 2_000;
  private static final int SHOWN_LINES = 3;
  private static final int SHOWN_END = 500;

  /** Such as a NUL, which no column of the database takes. */
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cntrl}\\p{Cs}&&[^\n\t]]");

  /** With these the usual package managers find what they have put into the folder. */
  private static final Map<String, String> ALWAYS =
      Map.of(
          "SANDBOXER_SETUP",
          Setup.FOLDER, // boxd puts its bin at the front of PATH
          "PYTHONUSERBASE",
          Setup.FOLDER,
          "NODE_PATH",
          Setup.FOLDER + "/lib/node_modules");

  /**
   * With these they put it there. pip's refusal to touch a distribution's packages does not apply:
   * it never writes to the root.
   */
  private static final Map<String, String> WHILE_MAKING =
      Map.of(
          "PIP_USER", "1",
          "PIP_BREAK_SYSTEM_PACKAGES", "1",
          "PIP_NO_CACHE_DIR", "1",
          "PIP_DISABLE_PIP_VERSION_CHECK", "1",
          "npm_config_prefix", Setup.FOLDER,
          "GOBIN", Setup.FOLDER + "/bin",
          "CARGO_INSTALL_ROOT", Setup.FOLDER);

  private final ProgressEvents events;
  private final BoxdCommands boxd;

  SetupSteps(ProgressEvents events, BoxdCommands boxd) {
    this.events = events;
    this.boxd = boxd;
  }

  /** Adds what an attempt with a layer needs to an environment; variables of its own stay. */
  static Map<String, String> environment(Attempt attempt, Map<String, String> own) {
    if (attempt.layer() == null) {
      return own;
    }
    Map<String, String> all = new LinkedHashMap<>(ALWAYS);
    if (attempt.makesLayer()) {
      all.putAll(WHILE_MAKING);
    }
    all.putAll(own);
    return all;
  }

  /**
   * Runs all of them.
   *
   * @param left what the attempt has made, for the error
   * @throws ExtensionException VALIDATION at the first one that fails
   */
  void run(Sandbox sandbox, Endpoint endpoint, Setup setup, Outcome left)
      throws ExtensionException, BoxdException, InterruptedException {
    int number = 0;
    for (Setup.Step step : setup.steps()) {
      number++;
      String title =
          "step %d of %d (%s)".formatted(number, setup.steps().size(), title(step.run()));
      events.publish(
          sandbox,
          "setup.step",
          Map.of("step", number, "of", setup.steps().size(), "run", title(step.run())));
      // Both streams in one, as a terminal shows them; the first command that fails ends it.
      CommandResult result =
          boxd.run(
              endpoint,
              String.valueOf(sandbox.tenantId()),
              Command.of(step.timeout(), "/bin/sh", "-e", "-c", "exec 2>&1\n" + step.run()));
      if (!result.exitCode().equals(Optional.of(0))) {
        throw failed(sandbox, step, number, title, result, left);
      }
    }
  }

  private ExtensionException failed(
      Sandbox sandbox,
      Setup.Step step,
      int number,
      String title,
      CommandResult result,
      Outcome left) {
    String why = why(step, result);
    String output = last(result);
    events.publish(
        sandbox,
        "setup.failed",
        Map.of("step", number, "run", title(step.run()), "reason", why, "output", output));
    return Setups.failed(
        ErrorCode.VALIDATION,
        left,
        "%s %s%s".formatted(title, why, output.isEmpty() ? ", without output" : ": " + end(output)),
        null);
  }

  private static String why(Setup.Step step, CommandResult result) {
    String memory = result.oomKills() > 0 ? ", for lack of memory: raise resources.memory" : "";
    if (result.timedOut()) {
      return "did not end within %s and was killed".formatted(step.timeout().toSeconds() + " s");
    }
    return result
            .exitCode()
            .map(code -> "ended with " + code)
            .orElseGet(() -> "was ended by " + result.signal().orElse("a signal"))
        + memory;
  }

  private static String last(CommandResult result) {
    String text = result.stdout().text().strip();
    String shown =
        text.length() <= SHOWN_OUTPUT
            ? text
            : "... " + text.substring(text.length() - SHOWN_OUTPUT);
    return UNPRINTABLE.matcher(shown).replaceAll("?");
  }

  /** The last lines in one, as messages are; the event has more. */
  private static String end(String output) {
    List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
    String end =
        String.join(" | ", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
    return end.length() <= SHOWN_END ? end : "... " + end.substring(end.length() - SHOWN_END);
  }

  /** The first line, or what fits of it. */
  private static String title(String run) {
    String line = run.strip().lines().findFirst().orElse("");
    return line.length() <= SHOWN_COMMAND ? line : line.substring(0, SHOWN_COMMAND) + "...";
  }
}
