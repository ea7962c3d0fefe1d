package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.testing.PatientCall;
import dev.sandboxer.testing.TestPlatform;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One call of the extension in a process of its own, which a test kills. */
final class ForkedProvision {
  private ForkedProvision() {}

  /** Starts {@code provision} and {@code waitReady}, or {@code teardown}. */
  static Process start(String verb, Path home, SandboxIdentity identity, Path socket)
      throws IOException {
    return start(List.of(), verb, home, identity, socket);
  }

  /** The same through another command, such as one that takes rights away. */
  static Process start(
      List<String> prefix, String verb, Path home, SandboxIdentity identity, Path socket)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Dsandboxer.boxd=" + System.getProperty("sandboxer.boxd", "target/boxd"),
            "-cp",
            System.getProperty("java.class.path"),
            ForkedProvision.class.getName(),
            verb,
            home.toString(),
            identity.installation(),
            identity.sandbox(),
            socket.toString()));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(home.resolve("forked.log").toFile())
        .start();
  }

  /** Entry point of the other process. */
  public static void main(String[] args) throws Exception {
    TestPlatform platform =
        new TestPlatform(Path.of(args[1]), args[2], DockerPlatform.settings(Path.of(args[4])));
    SandboxIdentity identity = new SandboxIdentity(args[2], args[3], 1, 1);
    PatientCall call = new PatientCall();
    SandboxExtension extension =
        new DockerProvider().create(new ExtensionConfig(Map.of()), platform);
    if (args[0].equals("teardown")) {
      extension.teardown(new TeardownTarget.ByIdentity(identity), call);
    } else {
      provision(platform, extension, identity, call);
    }
    System.exit(0);
  }

  private static void provision(
      TestPlatform platform, SandboxExtension extension, SandboxIdentity identity, PatientCall call)
      throws Exception {
    SandboxRequests requests = new SandboxRequests(platform, new BoxdKey());
    try {
      extension.waitReady(extension.provision(requests.of(identity), call), call);
    } catch (ExtensionException e) {
      System.out.println(e.code() + " " + e.outcome() + " " + e.getMessage());
      System.exit(1);
    }
  }
}
