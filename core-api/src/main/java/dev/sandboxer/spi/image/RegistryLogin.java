package dev.sandboxer.spi.image;

/**
 * A login of one registry, which no other registry may get.
 *
 * @param registry as {@link ImageName#registry()} has it: {@code docker.io} for Docker Hub
 * @param username of the login
 * @param password a secret: never part of a command line, an environment, a label, a handle, a
 *     message or a log
 */
public record RegistryLogin(String registry, String username, String password) {

  /**
   * Checks the registry.
   *
   * @throws IllegalArgumentException if it cannot be the registry of an image
   */
  public RegistryLogin {
    if (!ImageName.isRegistry(registry)) {
      throw new IllegalArgumentException("'%.100s' is not a registry".formatted(registry));
    }
  }

  @Override
  public String toString() {
    return "login of %s at %s".formatted(username, registry);
  }
}
