package dev.sandboxer.testing.faulty;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.VolumeInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Volumes as files that say their size. No sandbox sees one: who holds which is what is tried. */
final class VolumeFiles {

  private final Path folder;

  VolumeFiles(Path folder) {
    this.folder = folder;
  }

  boolean ensure(String name, long sizeBytes) throws ExtensionException {
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve(name), Long.toString(sizeBytes));
      return true;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  boolean remove(String name) throws ExtensionException {
    try {
      return Files.deleteIfExists(folder.resolve(name));
    } catch (IOException e) {
      throw failed(e);
    }
  }

  List<VolumeInfo> list() throws ExtensionException {
    List<VolumeInfo> volumes = new ArrayList<>();
    if (!Files.exists(folder)) {
      return volumes;
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        volumes.add(
            new VolumeInfo(
                file.getFileName().toString(),
                Long.parseLong(Files.readString(file)),
                OptionalLong.of(0),
                Files.getLastModifiedTime(file).toInstant()));
      }
      return volumes;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** The guide's extension knows no volumes. */
  ProvisionRequest without(ProvisionRequest request) {
    List<Mount> others =
        request.spec().mounts().stream().filter(mount -> !(mount instanceof Mount.Volume)).toList();
    return others.equals(request.spec().mounts())
        ? request
        : ProvisionRequest.of(
                request.identity(),
                request.spec().toBuilder().mounts(others).build(),
                request.host(),
                request.daemon())
            .withArchives(request.archives());
  }

  private static ExtensionException failed(IOException e) {
    return new ExtensionException(
        ErrorCode.UNAVAILABLE, Outcome.UNKNOWN, "a file of a volume: " + e, e);
  }
}
