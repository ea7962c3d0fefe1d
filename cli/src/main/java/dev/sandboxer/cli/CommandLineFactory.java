package dev.sandboxer.cli;

import dev.sandboxer.cli.admin.ExtensionsVerb;
import dev.sandboxer.cli.admin.KeysVerb;
import dev.sandboxer.cli.admin.ProfilesVerb;
import dev.sandboxer.cli.admin.TenantsVerb;
import dev.sandboxer.cli.doctor.DoctorVerb;
import dev.sandboxer.cli.sandbox.CreateVerb;
import dev.sandboxer.cli.sandbox.ExecVerb;
import dev.sandboxer.cli.sandbox.GetVerb;
import dev.sandboxer.cli.sandbox.ListVerb;
import dev.sandboxer.cli.sandbox.RemoveVerb;
import dev.sandboxer.cli.sandbox.RunVerb;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;

/** Puts the verbs together. */
public final class CommandLineFactory {
  private static final Map<String, String> ALIASES = Map.of("ls", "list", "get", "inspect");

  private CommandLineFactory() {}

  /** Runs a command line over {@code context}, answers the exit code and never throws. */
  public static int execute(Context context, String... arguments) {
    return create(context, arguments).execute(arguments);
  }

  /**
   * Looking at a verb's options takes time, so a call that begins with a verb gets that one alone;
   * help and typos get all.
   */
  private static CommandLine create(Context context, String... arguments) {
    Map<String, Supplier<CommandLine>> verbs = verbs(context);
    Set<String> wanted =
        arguments.length > 0 && verbs.containsKey(arguments[0])
            ? Set.of(arguments[0])
            : verbs.keySet();
    CommandLine line = new CommandLine(new Sandboxer());
    for (Map.Entry<String, Supplier<CommandLine>> verb : verbs.entrySet()) {
      if (wanted.contains(verb.getKey())) {
        line.addSubcommand(verb.getKey(), verb.getValue().get(), aliases(verb.getKey()));
      }
    }
    FailurePrinter failures = new FailurePrinter(context);
    return line.setParameterExceptionHandler(failures)
        .setExecutionExceptionHandler(failures)
        .setUsageHelpWidth(110)
        .setOut(writer(context.console().streams().out()))
        .setErr(writer(context.console().streams().err()));
  }

  private static Map<String, Supplier<CommandLine>> verbs(Context context) {
    Map<String, Supplier<CommandLine>> verbs = new LinkedHashMap<>();
    verbs.put("run", () -> stopping(new RunVerb(context)));
    verbs.put("create", () -> new CommandLine(new CreateVerb(context)));
    verbs.put("exec", () -> new CommandLine(new ExecVerb(context)));
    verbs.put("ls", () -> new CommandLine(new ListVerb(context)));
    verbs.put("get", () -> new CommandLine(new GetVerb(context)));
    verbs.put("rm", () -> new CommandLine(new RemoveVerb(context)));
    verbs.put("doctor", () -> new CommandLine(new DoctorVerb(context)));
    verbs.put("profiles", () -> new CommandLine(new ProfilesVerb(context)));
    verbs.put("extensions", () -> new CommandLine(new ExtensionsVerb(context)));
    verbs.put("keys", () -> KeysVerb.create(context));
    verbs.put("tenants", () -> TenantsVerb.create(context));
    verbs.put("train", () -> new CommandLine(new TrainVerb(context)));
    return verbs;
  }

  private static String[] aliases(String verb) {
    String alias = ALIASES.get(verb);
    return alias == null ? new String[0] : new String[] {alias};
  }

  /**
   * Everything after the first word of the command is the command's, so that {@code run ls -l}
   * needs no {@code --}.
   */
  private static CommandLine stopping(Verb verb) {
    return new CommandLine(verb).setStopAtPositional(true);
  }

  private static PrintWriter writer(OutputStream stream) {
    return new PrintWriter(stream, true, StandardCharsets.UTF_8);
  }
}
