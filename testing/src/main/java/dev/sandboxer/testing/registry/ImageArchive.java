package dev.sandboxer.testing.registry;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** An image with nothing but a program as /boxd, in the form of {@code docker save}. */
public final class ImageArchive {

  private static final int BLOCK = 512;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private ImageArchive() {}

  /**
   * Writes one.
   *
   * @param program an executable file
   * @param name of the image, with its tag
   * @param archive where to
   */
  public static void write(Path program, String name, Path archive) throws IOException {
    byte[] layer = new ImageArchive().file("boxd", Files.readAllBytes(program), 0755).end();
    String config =
        """
        {"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}
        """
            .formatted(sum(layer));
    String manifest =
        """
        [{"Config":"config.json","RepoTags":["%s"],"Layers":["layer.tar"]}]
        """
            .formatted(name);
    Files.write(
        archive,
        new ImageArchive()
            .file("layer.tar", layer, 0644)
            .file("config.json", config.getBytes(StandardCharsets.UTF_8), 0644)
            .file("manifest.json", manifest.getBytes(StandardCharsets.UTF_8), 0644)
            .end());
  }

  private static String sum(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private ImageArchive file(String name, byte[] content, int mode) throws IOException {
    byte[] head = new byte[BLOCK];
    put(head, 0, name);
    put(head, 100, "%07o".formatted(mode));
    put(head, 108, "%07o".formatted(0));
    put(head, 116, "%07o".formatted(0));
    put(head, 124, "%011o".formatted(content.length));
    put(head, 136, "%011o".formatted(0));
    Arrays.fill(head, 148, 156, (byte) ' ');
    head[156] = '0';
    put(head, 257, "ustar\u000000");
    int sum = 0;
    for (byte b : head) {
      sum += Byte.toUnsignedInt(b);
    }
    put(head, 148, "%06o\u0000 ".formatted(sum));
    out.write(head);
    out.write(content);
    out.write(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
    return this;
  }

  private static void put(byte[] head, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(bytes, 0, head, at, bytes.length);
  }

  private byte[] end() {
    out.writeBytes(new byte[2 * BLOCK]);
    return out.toByteArray();
  }
}
