package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.testing.PatientCall;
import dev.sandboxer.testing.TestPlatform;
import java.nio.file.Path;
import java.util.Map;

/** An extension with everything that a test of sandboxes needs; removes what was made. */
final class Scene implements AutoCloseable {
  final PatientCall call = new PatientCall();
  final TestPlatform platform;
  final TestEngine engine = new TestEngine();
  final SandboxExtension extension;
  private final BoxdKey key = new BoxdKey();
  private final SandboxRequests requests;

  Scene(Path home) throws Exception {
    this(home, Map.of());
  }

  Scene(Path home, Map<String, String> config) throws Exception {
    platform = DockerPlatform.of(home);
    requests = new SandboxRequests(platform, key);
    extension = new DockerProvider().create(new ExtensionConfig(config), platform);
  }

  ProvisionRequest request(SandboxSpec spec) {
    return requests.with(requests.identity(), spec);
  }

  /** A ready sandbox. */
  Inhabitant enter(SandboxSpec spec) throws Exception {
    return enter(request(spec));
  }

  Inhabitant enter(ProvisionRequest request) throws Exception {
    SandboxIdentity identity = request.identity();
    return Inhabitant.enter(
        extension.waitReady(extension.provision(request, call), call), key, identity);
  }

  /** Why a sandbox cannot be made. */
  ExtensionException failure(SandboxSpec spec) {
    try {
      var _ = extension.waitReady(extension.provision(request(spec), call), call);
    } catch (ExtensionException e) {
      return e;
    }
    throw new AssertionError("it was made");
  }

  @Override
  public void close() {
    extension.close();
    engine
        .of(platform.installation())
        .forEach(
            one ->
                engine
                    .docker()
                    .removeContainerCmd(one.getId())
                    .withForce(true)
                    .withRemoveVolumes(true)
                    .exec());
    engine.close();
  }
}
