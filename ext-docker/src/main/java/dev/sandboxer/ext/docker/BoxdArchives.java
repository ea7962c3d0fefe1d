package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Archives of boxd and the names that are known inside, for Engines of other machines. */
final class BoxdArchives {

  static final String BINARY = "boxd";
  static final String HOSTS = "hosts";
  private static final int SHORT = 16;
  private static final String READABLE = "0000444";
  private static final String EXECUTABLE = "0000555";

  private static final int BLOCK = 512;
  private static final int MODE_AT = 100;
  private static final int SIZE_AT = 124;
  private static final int SUM_AT = 148;
  private static final int TYPE_AT = 156;
  private static final int LINK_AT = 157;
  private static final int MAGIC_AT = 257;
  private static final char FILE = '0';
  private static final char LINK = '1';

  private final Map<Path, Archive> known = new ConcurrentHashMap<>();

  /**
   * What an archive is made of.
   *
   * @param binary the file
   * @param changed when it was changed last
   * @param binaryBytes its size
   * @param sum of all that is in the archive, in short
   */
  record Archive(Path binary, FileTime changed, long binaryBytes, String sum) {

    /**
     * The archive.
     *
     * @param part name under which the binary comes before it has its own
     */
    byte[] content(String part) throws ExtensionException {
      try {
        ByteArrayOutputStream tar = new ByteArrayOutputStream((int) binaryBytes + 8 * BLOCK);
        byte[] names = Inside.NAMES.getBytes(StandardCharsets.US_ASCII);
        entry(tar, HOSTS, READABLE, FILE, "", names);
        entry(tar, part, EXECUTABLE, FILE, "", Files.readAllBytes(binary));
        entry(tar, BINARY, EXECUTABLE, LINK, part, new byte[0]);
        tar.write(new byte[2 * BLOCK]);
        return tar.toByteArray();
      } catch (IOException e) {
        throw unreadable(binary, e);
      }
    }
  }

  private static void entry(
      ByteArrayOutputStream tar, String name, String mode, char type, String target, byte[] content)
      throws IOException {
    ByteBuffer head = ByteBuffer.allocate(BLOCK);
    head.put(0, name.getBytes(StandardCharsets.US_ASCII));
    head.put(
        MODE_AT, (mode + "\0" + "0000000\0" + "0000000\0").getBytes(StandardCharsets.US_ASCII));
    head.put(
        SIZE_AT,
        "%011o\0%011o\0        ".formatted(content.length, 0).getBytes(StandardCharsets.US_ASCII));
    head.put(TYPE_AT, (byte) type);
    head.put(LINK_AT, target.getBytes(StandardCharsets.US_ASCII));
    head.put(MAGIC_AT, "ustar\00000".getBytes(StandardCharsets.US_ASCII));
    int sum = 0;
    for (byte one : head.array()) {
      sum += one & 0xff;
    }
    head.put(SUM_AT, "%06o\0 ".formatted(sum).getBytes(StandardCharsets.US_ASCII));
    tar.write(head.array());
    tar.write(content);
    tar.write(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
  }

  Archive of(Path binary) throws ExtensionException {
    try {
      FileTime changed = Files.getLastModifiedTime(binary);
      Archive archive = known.get(binary);
      if (archive == null || !archive.changed().equals(changed)) {
        byte[] content = Files.readAllBytes(binary);
        archive = new Archive(binary, changed, content.length, sum(content));
        known.put(binary, archive);
      }
      return archive;
    } catch (IOException e) {
      throw unreadable(binary, e);
    }
  }

  private static String sum(byte[] binary) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(Inside.NAMES.getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(digest.digest(binary)).substring(0, SHORT);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ExtensionException unreadable(Path binary, IOException e) {
    return new ExtensionException(
        ErrorCode.UNAVAILABLE, Outcome.NOTHING_CREATED, binary + " cannot be read: " + e, e);
  }
}
