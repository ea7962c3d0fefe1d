package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectVolumeResponse;
import com.github.dockerjava.api.model.BindPropagation;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;

/**
 * Where the Engine finds the files of this process: at the same path, or, for a platform that runs
 * in a container itself, in a named volume that both have.
 */
final class Places {

  private final Optional<DockerConfig.SocketVolume> volume;

  Places(Optional<DockerConfig.SocketVolume> volume) {
    this.volume = volume;
  }

  /** How mounts go on: an Engine wants its own data folder's to follow the host's. */
  BindPropagation propagation() {
    return volume.isEmpty() ? BindPropagation.R_PRIVATE : BindPropagation.R_SLAVE;
  }

  /** A file or folder as the Engine sees it. */
  Path seen(Engine engine, Path path) throws ExtensionException {
    if (volume.isEmpty()) {
      return path;
    }
    Path here = volume.get().mountedAt();
    return mountPoint(engine, volume.get().name()).resolve(here.relativize(path));
  }

  /** The binary as the Engine sees it; copied into the volume once for each content. */
  Path binary(Engine engine, Path binary) throws ExtensionException {
    if (volume.isEmpty()) {
      return binary;
    }
    try {
      byte[] content = Files.readAllBytes(binary);
      Path copy = volume.get().mountedAt().resolve("boxd-" + hash(content));
      if (!Files.exists(copy)) {
        Path part = Files.createTempFile(copy.getParent(), "boxd", ".part");
        Files.write(part, content);
        Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("r-xr-xr-x"));
        Files.move(part, copy, StandardCopyOption.ATOMIC_MOVE);
      }
      return seen(engine, copy);
    } catch (IOException e) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE,
          Outcome.NOTHING_CREATED,
          "boxd cannot be copied into " + volume.get().mountedAt() + ": " + e.getMessage(),
          e);
    }
  }

  private static String hash(byte[] content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      return "%064x".formatted(new BigInteger(1, digest)).substring(0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path mountPoint(Engine engine, String name) throws ExtensionException {
    Optional<InspectVolumeResponse> found =
        engine.find("look at volume " + name, docker -> docker.inspectVolumeCmd(name).exec());
    if (found.isEmpty() || !"local".equals(found.get().getDriver())) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          "volume %s of config.socket_volume is not a local volume of this Engine: docker volume create %s"
              .formatted(name, name));
    }
    return Path.of(String.valueOf(found.get().getMountpoint()));
  }
}
