package dev.sandboxer.cli.k8s;

import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** For operators of clusters; needs no platform. */
@Command(name = "k8s", description = "For the Kubernetes backend: print what a cluster needs.")
public final class K8sVerb extends Verb {
  private K8sVerb(Context context) {
    super(context);
  }

  /** The verb with its own verbs. */
  public static CommandLine create(Context context) {
    return new CommandLine(new K8sVerb(context))
        .addSubcommand("manifest", new ManifestVerb(context));
  }

  @Override
  public Integer call() {
    throw Failure.usage("say what to do: k8s manifest");
  }
}
