package dev.sandboxer.cli.k8s;

import dev.sandboxer.cli.ByteSize;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Prints it, to be read and applied by whoever owns the cluster. */
@Command(
    name = "manifest",
    description = {
      "Print what the platform needs in a cluster, for review and for kubectl apply -f -.",
      "A namespace with its service account, role, quota and network policy; nothing outside it."
    })
final class ManifestVerb extends Verb {
  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      defaultValue = "sandboxes",
      description = "Where sandboxes are made (default ${DEFAULT-VALUE}).")
  private String namespace = "";

  @Option(
      names = "--pods",
      paramLabel = "N",
      defaultValue = "100",
      description = "The most sandboxes at once (default ${DEFAULT-VALUE}).")
  private int pods;

  @Option(
      names = "--cpus",
      paramLabel = "N",
      defaultValue = "64",
      description = "The most CPUs of all together (default ${DEFAULT-VALUE}).")
  private int cpus;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      defaultValue = "128Gi",
      converter = ByteSize.Converter.class,
      description = "The most memory of all together (default ${DEFAULT-VALUE}).")
  private ByteSize memory = new ByteSize(0);

  ManifestVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    if (!namespace.matches("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")) {
      throw Failure.usage(
          "--namespace '%s' must be lower case letters, digits and dashes, at most 63"
              .formatted(namespace));
    }
    if (pods < 1 || cpus < 1) {
      throw Failure.usage("--pods and --cpus must be above 0");
    }
    context()
        .console()
        .result(
            template()
                .replace("NAMESPACE", namespace)
                .replace("PODS", Integer.toString(pods))
                .replace("CPUS", Integer.toString(cpus))
                .replace("MEMORY", memory.toString())
                .stripTrailing());
    return ExitCode.OK;
  }

  private static String template() {
    try (InputStream in =
        Objects.requireNonNull(ManifestVerb.class.getResourceAsStream("manifest.yaml"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
