package dev.sandboxer.ext.docker;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.image.ImageName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The repositories from which images were fetched with a login: an empty file each, kept over
 * restarts, as the images are.
 */
record PrivateImages(Path folder) {

  /** Before the first image is there, so that none is there without it. */
  void add(ImageName image) throws ExtensionException {
    try {
      Files.createDirectories(folder);
      Files.write(file(image), new byte[0]);
    } catch (IOException e) {
      throw new ExtensionException(
          ErrorCode.CAPACITY,
          "it cannot be recorded that image %s takes a login: %s".formatted(image.text(), e));
    }
  }

  boolean contains(ImageName image) {
    return Files.exists(file(image));
  }

  private Path file(ImageName image) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      return folder.resolve(
          HexFormat.of().formatHex(sha256.digest(image.repository().getBytes(UTF_8))));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
