package dev.sandboxer.ext.docker;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes a tar archive of links and folders, before the files of another one. */
final class Tar {
  private static final int BLOCK = 512;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  Tar link(String path, String target) {
    return entry(path, '2', target);
  }

  Tar folder(String path) {
    return entry(path + "/", '5', "");
  }

  Tar file(String path, byte[] content) {
    entry(path, '0', "", content.length);
    out.writeBytes(content);
    out.writeBytes(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
    return this;
  }

  /** What another archive holds; it ends this one. */
  Tar and(byte[] archive) {
    out.writeBytes(archive);
    return this;
  }

  private Tar entry(String name, char type, String target) {
    return entry(name, type, target, 0);
  }

  private Tar entry(String name, char type, String target, int size) {
    byte[] header = new byte[BLOCK];
    put(header, 0, name);
    put(header, 100, "0000755\0");
    put(header, 108, "0000000\0");
    put(header, 116, "0000000\0");
    put(header, 124, "%011o\0".formatted(size));
    put(header, 136, "00000000000\0");
    Arrays.fill(header, 148, 156, (byte) ' ');
    header[156] = (byte) type;
    put(header, 157, target);
    put(header, 257, "ustar\000");
    put(header, 263, "00");
    int sum = 0;
    for (byte one : header) {
      sum += one & 0xff;
    }
    put(header, 148, "%06o\0 ".formatted(sum));
    out.writeBytes(header);
    return this;
  }

  private static void put(byte[] header, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(bytes, 0, header, at, bytes.length);
  }

  byte[] bytes() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(out.toByteArray());
    all.writeBytes(new byte[2 * BLOCK]);
    return all.toByteArray();
  }
}
