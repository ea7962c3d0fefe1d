package dev.sandboxer.e2e;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * Those that can be tried on this machine; a cluster by itself, once one was started. `./sandboxer
 * test` sees to each, or says that it is not tested; in CI it refuses to go on without one.
 */
final class Backends implements ArgumentsProvider {

  /** The engine that the tests were given. */
  static Optional<Engine> docker() {
    return Optional.ofNullable(System.getenv("SANDBOXER_DOCKER_HOST")).map(Engine::at);
  }

  /** All that can be tried here. */
  static List<Backend> all() {
    String cluster = System.getenv("SANDBOXER_E2E_CLUSTER");
    if (cluster != null) {
      return List.of(new KubernetesBackend(Path.of(cluster)));
    }
    List<Backend> backends = new ArrayList<>();
    backends.add(new NsjailBackend());
    docker().map(DockerBackend::new).ifPresent(backends::add);
    return backends;
  }

  @Override
  public Stream<Arguments> provideArguments(
      ParameterDeclarations parameters, ExtensionContext context) {
    return all().stream().map(Arguments::of);
  }
}
