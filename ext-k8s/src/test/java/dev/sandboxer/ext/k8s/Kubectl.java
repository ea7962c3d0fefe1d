package dev.sandboxer.ext.k8s;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** The command line of the run's cluster, in one namespace. */
record Kubectl(String namespace) {

  /** What a command printed, on both streams, and its exit code. */
  record Result(int exitCode, String output) {}

  /** What a command printed that must succeed. */
  String must(String... arguments) {
    Result result = run(arguments);
    if (result.exitCode() != 0) {
      throw new AssertionError(
          "kubectl %s: %s".formatted(String.join(" ", arguments), result.output()));
    }
    return result.output();
  }

  Result run(String... arguments) {
    return run(List.of(arguments), "");
  }

  /** Creates or changes the objects of a document. */
  void apply(String document) {
    Result result = run(List.of("apply", "-f", "-"), document);
    if (result.exitCode() != 0) {
      throw new AssertionError(result.output());
    }
  }

  private Result run(List<String> arguments, String input) {
    try {
      var command = new ArrayList<>(List.of(cluster() + "/bin/kubectl", "-n", namespace));
      command.addAll(arguments);
      var builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().put("KUBECONFIG", cluster() + "/kubeconfig");
      Process process = builder.start();
      try (var stdin = process.outputWriter(UTF_8)) {
        stdin.write(input);
      }
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      return new Result(process.waitFor(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String cluster() {
    String folder = System.getenv("SANDBOXER_TEST_CLUSTER");
    if (folder == null) {
      throw new AssertionError("SANDBOXER_TEST_CLUSTER is not set; run ./sandboxer test");
    }
    return folder;
  }
}
