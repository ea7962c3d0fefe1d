package dev.sandboxer.ext.nsjail;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the program {@code images} has unpacked: a folder for each image, named by its digest, and a
 * file for each name that says which one it means.
 */
record ImageStore(Path folder, InstantSource clock) {

  private static final String ABOUT = "about";
  private static final String USED = "used";

  /** Whether an image was ever asked for. */
  boolean exists() {
    return Files.exists(folder);
  }

  /** The folder of an image that is here, which counts as used by this. */
  Optional<Path> find(String key) throws ExtensionException {
    Path name = folder.resolve("names").resolve(sha256(key));
    try {
      Path place = folder.resolve(Path.of(Files.readString(name).strip()).getFileName());
      if (!Files.exists(place.resolve(ABOUT))) {
        return Optional.empty();
      }
      Files.setLastModifiedTime(place.resolve(USED), FileTime.from(clock.instant()));
      return Optional.of(place);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw broken(name, e);
    }
  }

  /** Whether images of a repository were fetched with a login, which all who use one then need. */
  boolean isPrivate(String repository) {
    return Files.exists(folder.resolve("private").resolve(sha256(repository)));
  }

  void markPrivate(String repository) throws ExtensionException {
    Path mark = folder.resolve("private").resolve(sha256(repository));
    try {
      Files.createDirectories(mark.getParent());
      Files.write(mark, new byte[0]);
    } catch (IOException e) {
      throw broken(mark, e);
    }
  }

  /** Number and size of all images. */
  String summary() {
    try (Stream<Path> all = Files.list(folder)) {
      List<Long> sizes =
          all.filter(place -> place.getFileName().toString().startsWith("sha256-"))
              .map(ImageStore::size)
              .toList();
      long megabytes = sizes.stream().mapToLong(Long::longValue).sum() / 1_000_000;
      return "%d unpacked, %d MB".formatted(sizes.size(), megabytes);
    } catch (IOException e) {
      return "none unpacked";
    }
  }

  private static long size(Path place) {
    try {
      return Files.readAllLines(place.resolve(ABOUT)).stream()
          .filter(line -> line.startsWith("bytes="))
          .mapToLong(line -> Long.parseLong(line.substring("bytes=".length())))
          .sum();
    } catch (IOException e) {
      return 0; // removed meanwhile
    }
  }

  private static String sha256(String text) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ExtensionException broken(Path path, IOException e) {
    return new ExtensionException(
        ErrorCode.UNAVAILABLE, Outcome.NOTHING_CREATED, path + ": " + e.getMessage(), e);
  }
}
