package dev.sandboxer.testing.faulty;

import dev.sandboxer.spi.Archive;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.ProvisionRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/**
 * Keeps what sandboxes are given as files. No sandbox sees one: who gets which is what is tried.
 */
final class ArchiveFiles {

  private final Path folder;

  ArchiveFiles(Path folder) {
    this.folder = folder;
  }

  /** The guide's extension knows no options. */
  ProvisionRequest without(ProvisionRequest request) throws ExtensionException {
    if (request.spec().options().isEmpty()) {
      return request;
    }
    String name = request.identity().sandbox() + "-" + request.identity().generation() + ".";
    for (Map.Entry<String, Archive> one : request.archives().entrySet()) {
      keep(name + one.getKey(), one.getValue());
    }
    return ProvisionRequest.of(
        request.identity(),
        request.spec().toBuilder().options(Map.of()).build(),
        request.host(),
        request.daemon());
  }

  private void keep(String name, Archive archive) throws ExtensionException {
    try (InputStream in = archive.open()) {
      Files.createDirectories(folder);
      Files.copy(in, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE, Outcome.NOTHING_CREATED, "an archive: " + e, e);
    }
  }
}
