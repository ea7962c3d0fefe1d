package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectImageResponse;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.image.ImageName;
import dev.sandboxer.spi.image.RegistryLogin;
import java.util.Optional;

/**
 * Finds images on the Engine, and has it fetch those that it lacks. The Engine gives what it has to
 * everybody, so an image that took a login is used only by whom the registry would give it to.
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
    ImageName name = allowed(text);
    Registry registry = new Registry(engine, name, request.loginFor(name));
    if (config.pull() != DockerConfig.Pull.ALWAYS) {
      Optional<Image> here = find(engine, name);
      if (here.isPresent()) {
        checkReadable(registry, name, request.loginFor(name));
        return here.get();
      }
    }
    if (config.pull() == DockerConfig.Pull.NEVER) {
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

  private ImageName allowed(String text) throws ExtensionException {
    ImageName name;
    try {
      name = ImageName.parse(text);
    } catch (IllegalArgumentException e) {
      throw new ExtensionException(ErrorCode.VALIDATION, String.valueOf(e.getMessage()));
    }
    if (config.images().stream().noneMatch(pattern -> pattern.matches(name))) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          "image %s is not allowed here: in full it is %s, and config.images of ext.docker allows %s"
              .formatted(name.text(), name.full(), config.images()));
    }
    return name;
  }

  /** With {@code pull: never} registries are not asked, and images are the operator's business. */
  private void checkReadable(Registry registry, ImageName name, Optional<RegistryLogin> login)
      throws ExtensionException {
    if (config.pull() != DockerConfig.Pull.NEVER && (login.isPresent() || fetched.contains(name))) {
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
