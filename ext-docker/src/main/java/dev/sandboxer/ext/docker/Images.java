package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectImageResponse;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.image.ImageName;
import dev.sandboxer.spi.image.ImagePolicy;
import dev.sandboxer.spi.image.RegistryLogin;
import java.util.Optional;

/**
 * Finds images on the Engine, and has it fetch those that it lacks. The Engine gives what it has to
 * everybody, so the registry is asked again before an image that took a login is used.
 */
final class Images {

  private final DockerConfig config;
  private final PrivateImages fetched;

  Images(DockerConfig config, PrivateImages fetched) {
    this.config = config;
    this.fetched = fetched;
  }

  /** The image of a profile, fetched first where the policy says so. */
  Image resolve(Engine engine, String text, ProvisionRequest request, Call call)
      throws ExtensionException {
    ImageName name = config.images().allowed(text, "ext.docker");
    Registry registry = new Registry(engine, name, request.loginFor(name));
    if (config.images().pull() != ImagePolicy.Pull.ALWAYS) {
      Optional<Image> here = find(engine, name);
      if (here.isPresent()) {
        checkReadable(registry, name, request.loginFor(name));
        return here.get();
      }
    }
    if (config.images().pull() == ImagePolicy.Pull.NEVER) {
      throw registry.failure(
          "the Engine does not have it, and config.pull of ext.docker is never", null);
    }
    if (request.loginFor(name).isPresent()) {
      fetched.add(name);
    }
    registry.pull(call);
    return find(engine, name)
        .orElseThrow(() -> registry.failure("it was fetched and is gone again", null));
  }

  /** With {@code pull: never} registries are not asked, and images are the operator's business. */
  private void checkReadable(Registry registry, ImageName name, Optional<RegistryLogin> login)
      throws ExtensionException {
    if (config.images().pull() != ImagePolicy.Pull.NEVER
        && (login.isPresent() || fetched.contains(name))) {
      registry.checkReadable();
    }
  }

  /** By the whole name: the Engine would take a short one for an id of any image. */
  private static Optional<Image> find(Engine engine, ImageName name) throws ExtensionException {
    Optional<InspectImageResponse> found =
        engine.find(
            "look at image " + name.text(), docker -> docker.inspectImageCmd(name.full()).exec());
    return found.isPresent() ? Optional.of(Image.of(name, found.get())) : Optional.empty();
  }
}
