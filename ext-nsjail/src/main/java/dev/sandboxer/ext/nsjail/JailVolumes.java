package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.VolumeInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Volumes: a folder each below the extension's state folder, with the label, which comes first and
 * goes last, and the disk that the launcher makes and jails mount.
 */
final class JailVolumes {

  private static final String LABEL = "label";
  private static final String DISK = "disk";

  private final ExtensionContext context;
  private final Launcher launcher;

  JailVolumes(ExtensionContext context, Launcher launcher) {
    this.context = context;
    this.launcher = launcher;
  }

  /** The disk to mount. */
  Path disk(String name) throws ExtensionException {
    Path disk = requireOurs(name).resolve(DISK);
    if (!Files.exists(disk)) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE, "the volume's disk " + disk + " is gone from this machine");
    }
    return disk;
  }

  void ensure(String name, long sizeBytes, Call call) throws ExtensionException {
    Path folder = folder(name);
    try {
      Files.createDirectories(folder);
      if (!ours(name)) {
        Files.writeString(folder.resolve(LABEL), context.sign(identity(name)));
      }
    } catch (IOException e) {
      throw broken(folder, e);
    }
    Path disk = folder.resolve(DISK);
    Fields _ =
        launcher.volume(
            List.of("make", "--image", disk.toString(), "--bytes", Long.toString(sizeBytes)), call);
  }

  void remove(String name, Call call) throws ExtensionException {
    Path folder = folder(name);
    if (!Files.exists(folder)) {
      return;
    }
    Path disk = requireOurs(name).resolve(DISK);
    Fields _ = launcher.volume(List.of("remove", "--image", disk.toString()), call);
    try {
      Files.deleteIfExists(folder.resolve(LABEL));
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      throw broken(folder, e);
    }
  }

  Optional<VolumeInfo> inspect(String name, Call call) throws ExtensionException {
    Path disk = folder(name).resolve(DISK);
    if (!Files.exists(disk) || !ours(name)) {
      return Optional.empty();
    }
    Fields seen = launcher.volume(List.of("look", "--image", disk.toString()), call);
    return Optional.of(
        new VolumeInfo(
            name,
            Long.parseLong(seen.get("size")),
            OptionalLong.of(Long.parseLong(seen.get("used"))),
            madeAt(disk)));
  }

  /** Also those that are half made. */
  List<VolumeInfo> list() throws ExtensionException {
    List<VolumeInfo> volumes = new ArrayList<>();
    for (Path folder : folders()) {
      String name = folder.getFileName().toString();
      if (ours(name)) {
        volumes.add(
            new VolumeInfo(
                name,
                size(folder.resolve(DISK)),
                OptionalLong.empty(),
                madeAt(folder.resolve(LABEL))));
      }
    }
    return volumes;
  }

  private List<Path> folders() throws ExtensionException {
    Path root = root();
    if (!Files.exists(root)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(root)) {
      return all.filter(Files::isDirectory).sorted().toList();
    } catch (IOException e) {
      throw broken(root, e);
    }
  }

  private Path root() {
    return context.stateFolder().resolve("volumes");
  }

  private Path folder(String name) {
    return root().resolve(identity(name).sandbox());
  }

  private Path requireOurs(String name) throws ExtensionException {
    if (!ours(name)) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE,
          "there is no volume of this installation in " + folder(name) + ": left alone");
    }
    return folder(name);
  }

  private boolean ours(String name) throws ExtensionException {
    Path label = root().resolve(name).resolve(LABEL);
    try {
      return context.verify(identity(name), Files.readString(label));
    } catch (NoSuchFileException | IllegalArgumentException e) {
      return false; // no label, or no name of a volume
    } catch (IOException e) {
      throw broken(label, e);
    }
  }

  private SandboxIdentity identity(String name) {
    return new SandboxIdentity(context.installation(), name, 1, 1);
  }

  private static long size(Path disk) throws ExtensionException {
    try {
      return Files.size(disk);
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw broken(disk, e);
    }
  }

  private static Instant madeAt(Path file) throws ExtensionException {
    try {
      return Files.getLastModifiedTime(file).toInstant();
    } catch (IOException e) {
      throw broken(file, e);
    }
  }

  private static ExtensionException broken(Path path, IOException e) {
    return new ExtensionException(
        ErrorCode.UNAVAILABLE, Outcome.UNKNOWN, path + ": " + e.getMessage(), e);
  }
}
