package dev.sandboxer.testing.registry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** An image with nothing but a program as /boxd, in the form of {@code docker save}. */
public final class ImageArchive {

  private ImageArchive() {}

  /**
   * Writes one for this machine's architecture.
   *
   * @param program an executable file
   * @param name of the image, with its tag
   * @param archive where to
   */
  public static void write(Path program, String name, Path archive) throws IOException {
    byte[] layer = new Layer().program("boxd", Files.readAllBytes(program)).tar();
    String config =
        """
        {"architecture":"%s","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}
        """
            .formatted(architecture(), sum(layer));
    String manifest =
        """
        [{"Config":"config.json","RepoTags":["%s"],"Layers":["layer.tar"]}]
        """
            .formatted(name);
    Files.write(
        archive,
        new Layer()
            .program("layer.tar", layer)
            .file("config.json", config)
            .file("manifest.json", manifest)
            .tar());
  }

  /** As images name it. */
  private static String architecture() {
    return System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
  }

  private static String sum(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
