package dev.sandboxer.cli;

import dev.sandboxer.cli.admin.CleanupsVerb;
import dev.sandboxer.cli.admin.ExtensionsVerb;
import dev.sandboxer.cli.admin.KeysVerb;
import dev.sandboxer.cli.admin.ProfilesVerb;
import dev.sandboxer.cli.admin.SweepVerb;
import dev.sandboxer.cli.admin.TenantsVerb;
import dev.sandboxer.cli.admin.WebhooksVerb;
import dev.sandboxer.cli.admin.WhoamiVerb;
import dev.sandboxer.cli.archive.ArchiveVerb;
import dev.sandboxer.cli.box.BoxVerb;
import dev.sandboxer.cli.copy.CopyVerb;
import dev.sandboxer.cli.doctor.DoctorVerb;
import dev.sandboxer.cli.events.EventsVerb;
import dev.sandboxer.cli.extension.ExtensionVerb;
import dev.sandboxer.cli.help.CompletionVerb;
import dev.sandboxer.cli.help.ReferenceVerb;
import dev.sandboxer.cli.help.ScriptVerbs;
import dev.sandboxer.cli.host.HostsVerb;
import dev.sandboxer.cli.host.RouteVerb;
import dev.sandboxer.cli.inspect.InspectVerb;
import dev.sandboxer.cli.k8s.K8sVerb;
import dev.sandboxer.cli.pipeline.PipelineVerb;
import dev.sandboxer.cli.port.PortForwardVerb;
import dev.sandboxer.cli.process.LogsVerb;
import dev.sandboxer.cli.process.PsVerb;
import dev.sandboxer.cli.process.StopVerb;
import dev.sandboxer.cli.profile.ProfileVerb;
import dev.sandboxer.cli.sandbox.AccessVerb;
import dev.sandboxer.cli.sandbox.CreateVerb;
import dev.sandboxer.cli.sandbox.ExecVerb;
import dev.sandboxer.cli.sandbox.ExtendVerb;
import dev.sandboxer.cli.sandbox.ListVerb;
import dev.sandboxer.cli.sandbox.QuoteVerb;
import dev.sandboxer.cli.sandbox.RecreateVerb;
import dev.sandboxer.cli.sandbox.RemoveVerb;
import dev.sandboxer.cli.sandbox.ResumeVerb;
import dev.sandboxer.cli.sandbox.RunVerb;
import dev.sandboxer.cli.sandbox.ShellVerb;
import dev.sandboxer.cli.sandbox.SuspendVerb;
import dev.sandboxer.cli.sandbox.SyncVerb;
import dev.sandboxer.cli.sandbox.WaitVerb;
import dev.sandboxer.cli.session.SessionVerb;
import dev.sandboxer.cli.top.TopVerb;
import dev.sandboxer.cli.volume.VolumeVerb;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;

/**
 * Every verb, a line each, in the order in which they are shown: a new verb is registered here and
 * nowhere else.
 */
final class Verbs {
  private static final Map<String, String> ALIASES =
      Map.of("ls", "list", "inspect", "get", "rm", "destroy");

  private final Map<String, Supplier<CommandLine>> verbs = new LinkedHashMap<>();

  Verbs(Context context) {
    verbs.put("run", () -> stopping(new RunVerb(context)));
    verbs.put("create", () -> new CommandLine(new CreateVerb(context)));
    verbs.put("exec", () -> new CommandLine(new ExecVerb(context)));
    verbs.put("shell", () -> new CommandLine(new ShellVerb(context)));
    verbs.put("ps", () -> new CommandLine(new PsVerb(context)));
    verbs.put("logs", () -> new CommandLine(new LogsVerb(context)));
    verbs.put("stop", () -> new CommandLine(new StopVerb(context)));
    verbs.put("port-forward", () -> new CommandLine(new PortForwardVerb(context)));
    verbs.put("top", () -> new CommandLine(new TopVerb(context)));
    verbs.put("cp", () -> new CommandLine(new CopyVerb(context)));
    verbs.put("sync", () -> new CommandLine(new SyncVerb(context)));
    verbs.put("ls", () -> new CommandLine(new ListVerb(context)));
    verbs.put("inspect", () -> new CommandLine(new InspectVerb(context)));
    verbs.put("events", () -> new CommandLine(new EventsVerb(context)));
    verbs.put("access", () -> new CommandLine(new AccessVerb(context)));
    verbs.put("wait", () -> new CommandLine(new WaitVerb(context)));
    verbs.put("extend-ttl", () -> new CommandLine(new ExtendVerb(context)));
    verbs.put("suspend", () -> new CommandLine(new SuspendVerb(context)));
    verbs.put("resume", () -> new CommandLine(new ResumeVerb(context)));
    verbs.put("recreate", () -> new CommandLine(new RecreateVerb(context)));
    verbs.put("rm", () -> new CommandLine(new RemoveVerb(context)));
    verbs.put("box", () -> BoxVerb.create(context));
    verbs.put("pipeline", () -> PipelineVerb.create(context));
    verbs.put("volume", () -> VolumeVerb.create(context));
    verbs.put("archive", () -> ArchiveVerb.create(context));
    verbs.put("route", () -> RouteVerb.create(context));
    verbs.put("quote", () -> new CommandLine(new QuoteVerb(context)));
    verbs.put("doctor", () -> new CommandLine(new DoctorVerb(context)));
    verbs.put("hosts", () -> HostsVerb.create(context));
    verbs.put("k8s", () -> K8sVerb.create(context));
    verbs.put("sweep", () -> new CommandLine(new SweepVerb(context)));
    verbs.put("cleanups", () -> CleanupsVerb.create(context));
    verbs.put("profiles", () -> new CommandLine(new ProfilesVerb(context)));
    verbs.put("profile", () -> ProfileVerb.create(context));
    verbs.put("extensions", () -> new CommandLine(new ExtensionsVerb(context)));
    verbs.put("extension", () -> ExtensionVerb.create(context));
    verbs.put("whoami", () -> new CommandLine(new WhoamiVerb(context)));
    verbs.put("keys", () -> KeysVerb.create(context));
    verbs.put("tenants", () -> TenantsVerb.create(context));
    verbs.put("webhooks", () -> WebhooksVerb.create(context));
    verbs.put("session", () -> SessionVerb.create(context));
    verbs.put("completion", () -> new CommandLine(new CompletionVerb(context)));
    verbs.put("reference", () -> new CommandLine(new ReferenceVerb(context)));
    verbs.put("train", () -> new CommandLine(new TrainVerb(context)));
  }

  /**
   * Adds the verbs to {@code line}. Looking at a verb's options takes time, so a call that begins
   * with a verb gets that one alone; help, typos and what shows all verbs get all.
   */
  void addTo(CommandLine line, String... arguments) {
    String first = arguments.length > 0 ? arguments[0] : "";
    boolean alone = verbs.containsKey(first) && !Set.of("completion", "reference").contains(first);
    if (!alone) {
      for (CommandLine verb : ScriptVerbs.all()) {
        line.addSubcommand(verb);
      }
    }
    if (!alone) {
      line.addSubcommand("help", new CommandLine(new CommandLine.HelpCommand()));
    }
    for (Map.Entry<String, Supplier<CommandLine>> verb : verbs.entrySet()) {
      if (!alone || verb.getKey().equals(first)) {
        line.addSubcommand(verb.getKey(), verb.getValue().get(), aliases(verb.getKey()));
      }
    }
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
}
