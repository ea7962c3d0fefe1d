package dev.sandboxer.spi;

import dev.sandboxer.spi.image.ImageName;
import dev.sandboxer.spi.image.ImagePattern;
import dev.sandboxer.spi.image.RegistryLogin;
import dev.sandboxer.spi.secret.SecretFile;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What to make. The platform and tests start with {@link #of} and use the {@code with} methods.
 *
 * @param identity stands, signed, on everything that is made
 * @param spec the resolved profile
 * @param host where to make it
 * @param daemon what of boxd to place, unless the extension declares {@link BoxdPlacement#NONE}
 * @param uid the host's user id that is this sandbox's alone until it was seen clean; there exactly
 *     where the descriptor has {@link ExtensionDescriptor#uidLease()}
 * @param snapshot the state to start from, empty for a new one. An extension without {@link
 *     Snapshotting} refuses it; one with it starts from this state or fails, and refuses a snapshot
 *     that is gone with {@link ErrorCode#VALIDATION}
 * @param registryLogins of registries, at most one each; an extension that fetches the image itself
 *     uses {@link #loginFor}, and every other one leaves them alone
 * @param images which the sandbox's tenant may use. The spec's own image has been checked; an
 *     extension that finds names of images elsewhere, as in a file of the profile, refuses with
 *     {@link ErrorCode#VALIDATION} what {@link #mayUse} does not
 * @param secretFiles secrets of {@code use: file}, for parts of the sandbox that start before boxd
 *     is configured; there exactly where the descriptor has {@link
 *     ExtensionDescriptor#secretFiles()}
 * @param archives what {@link ExtensionDescriptor#archiveOptions()} of the spec stand for, by the
 *     option's name
 */
public record ProvisionRequest(
    SandboxIdentity identity,
    SandboxSpec spec,
    HostRef host,
    Daemon daemon,
    OptionalInt uid,
    Optional<Snapshotting.Snapshot> snapshot,
    List<RegistryLogin> registryLogins,
    List<ImagePattern> images,
    List<SecretFile> secretFiles,
    Map<String, Archive> archives) {

  private static final List<ImagePattern> ALL = List.of(new ImagePattern("*"));

  /** Checks the values, and keeps an immutable copy. */
  @ForPlatform
  public ProvisionRequest {
    if (uid.isPresent() && uid.getAsInt() < 1) {
      throw new IllegalArgumentException("uid " + uid.getAsInt() + " must not be root's");
    }
    registryLogins = List.copyOf(registryLogins);
    images = List.copyOf(images);
    secretFiles = List.copyOf(secretFiles);
    archives = Map.copyOf(archives);
  }

  /**
   * A request for a new state, without a leased user id, logins, secrets and archives, of whoever
   * may use all images.
   *
   * @param identity of what is made
   * @param spec the resolved profile
   * @param host where to make it
   * @param daemon what of boxd to place
   * @return the request
   */
  public static ProvisionRequest of(
      SandboxIdentity identity, SandboxSpec spec, HostRef host, Daemon daemon) {
    return new ProvisionRequest(
        identity,
        spec,
        host,
        daemon,
        OptionalInt.empty(),
        Optional.empty(),
        List.of(),
        ALL,
        List.of(),
        Map.of());
  }

  /**
   * The same with a leased user id.
   *
   * @param leased above 0
   * @return a copy
   */
  public ProvisionRequest withUid(int leased) {
    return new ProvisionRequest(
        identity,
        spec,
        host,
        daemon,
        OptionalInt.of(leased),
        snapshot,
        registryLogins,
        images,
        secretFiles,
        archives);
  }

  /**
   * The same on another host.
   *
   * @param other where to make it
   * @return a copy
   */
  public ProvisionRequest withHost(HostRef other) {
    return new ProvisionRequest(
        identity,
        spec,
        other,
        daemon,
        uid,
        snapshot,
        registryLogins,
        images,
        secretFiles,
        archives);
  }

  /**
   * The same, started from a kept state.
   *
   * @param state as {@link Snapshotting#snapshot} returned it
   * @return a copy
   */
  public ProvisionRequest withSnapshot(Snapshotting.Snapshot state) {
    return new ProvisionRequest(
        identity,
        spec,
        host,
        daemon,
        uid,
        Optional.of(state),
        registryLogins,
        images,
        secretFiles,
        archives);
  }

  /**
   * The same with logins of registries.
   *
   * @param logins at most one of each registry
   * @return a copy
   */
  public ProvisionRequest withRegistryLogins(List<RegistryLogin> logins) {
    return new ProvisionRequest(
        identity, spec, host, daemon, uid, snapshot, logins, images, secretFiles, archives);
  }

  /**
   * The same for a tenant who may not use all images.
   *
   * @param allowed none of them lets him use none
   * @return a copy
   */
  public ProvisionRequest withImages(List<ImagePattern> allowed) {
    return new ProvisionRequest(
        identity,
        spec,
        host,
        daemon,
        uid,
        snapshot,
        registryLogins,
        allowed,
        secretFiles,
        archives);
  }

  /**
   * The same with secrets that are files.
   *
   * @param files each of another name
   * @return a copy
   */
  public ProvisionRequest withSecretFiles(List<SecretFile> files) {
    return new ProvisionRequest(
        identity, spec, host, daemon, uid, snapshot, registryLogins, images, files, archives);
  }

  /**
   * The same with archives.
   *
   * @param byOption each under the name of the option that it stands for
   * @return a copy
   */
  public ProvisionRequest withArchives(Map<String, Archive> byOption) {
    return new ProvisionRequest(
        identity, spec, host, daemon, uid, snapshot, registryLogins, images, secretFiles, byOption);
  }

  /**
   * Whether the tenant may use an image.
   *
   * @param image whose whole name is compared
   * @return whether a pattern fits
   */
  public boolean mayUse(ImageName image) {
    return images.stream().anyMatch(pattern -> pattern.matches(image));
  }

  /**
   * The login with which an image is fetched.
   *
   * @param image to fetch
   * @return the login of the image's registry, if the profile has one
   */
  public Optional<RegistryLogin> loginFor(ImageName image) {
    return registryLogins.stream()
        .filter(login -> login.registry().equals(image.registry()))
        .findFirst();
  }
}
