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
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/** Puts the verbs together. */
public final class CommandLineFactory {
  private CommandLineFactory() {}

  /**
   * A command line over {@code context}; {@code execute} returns the exit code and never throws.
   */
  public static CommandLine create(Context context) {
    CommandLine line = new CommandLine(new Sandboxer());
    line.addSubcommand("run", stopping(new RunVerb(context)));
    line.addSubcommand("create", new CreateVerb(context));
    line.addSubcommand("exec", new ExecVerb(context));
    line.addSubcommand("ls", new ListVerb(context), "list");
    line.addSubcommand("get", new GetVerb(context), "inspect");
    line.addSubcommand("rm", new RemoveVerb(context));
    line.addSubcommand("doctor", new DoctorVerb(context));
    line.addSubcommand("profiles", new ProfilesVerb(context));
    line.addSubcommand("extensions", new ExtensionsVerb(context));
    line.addSubcommand("keys", KeysVerb.create(context));
    line.addSubcommand("tenants", TenantsVerb.create(context));
    line.addSubcommand("train", new TrainVerb(context));
    FailurePrinter failures = new FailurePrinter(context);
    return line.setParameterExceptionHandler(failures)
        .setExecutionExceptionHandler(failures)
        .setUsageHelpWidth(110)
        .setOut(writer(context.console().streams().out()))
        .setErr(writer(context.console().streams().err()));
  }

  /**
   * Everything after the first word of the command is the command's, so that {@code run ls -l}
   * needs no {@code --}.
   */
  private static CommandLine stopping(Verb verb) {
    return new CommandLine(verb).setStopAtPositional(true);
  }

  private static PrintWriter writer(java.io.OutputStream stream) {
    return new PrintWriter(stream, true, StandardCharsets.UTF_8);
  }
}
