package dev.sandboxer.ext.compose.project;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes an archive as GNU tar reads it. Owner and time are nobody's. */
final class Tar {

  private static final int BLOCK = 512;
  private static final int NAME = 100;
  private static final int MODE_AT = 100;
  private static final int SIZE_AT = 124;
  private static final int TIME_AT = 136;
  private static final int SUM_AT = 148;
  private static final int TYPE_AT = 156;
  private static final int LINK_AT = 157;
  private static final int MAGIC_AT = 257;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  void folder(String name, int mode) {
    header(name + "/", '5', mode, 0, "");
  }

  void link(String name, String target) {
    header(name, '2', 0777, 0, target);
  }

  void file(String name, int mode, byte[] content) {
    header(name, '0', mode, content.length, "");
    body(content);
  }

  byte[] end() {
    out.writeBytes(new byte[2 * BLOCK]);
    return out.toByteArray();
  }

  private void body(byte[] content) {
    out.writeBytes(content);
    out.writeBytes(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
  }

  private void header(String name, char type, int mode, int size, String link) {
    longName(name, 'L');
    longName(link, 'K');
    byte[] block = new byte[BLOCK];
    put(block, 0, name, NAME);
    put(block, MODE_AT, "%07o".formatted(mode), 8);
    put(block, MODE_AT + 8, "0000000", 8);
    put(block, MODE_AT + 16, "0000000", 8);
    put(block, SIZE_AT, "%011o".formatted(size), 12);
    put(block, TIME_AT, "00000000000", 12);
    put(block, SUM_AT, "        ", 8);
    block[TYPE_AT] = (byte) type;
    put(block, LINK_AT, link, NAME);
    put(block, MAGIC_AT, "ustar  ", 8);
    int sum = 0;
    for (byte one : block) {
      sum += one & 0xff;
    }
    put(block, SUM_AT, "%06o\0 ".formatted(sum), 8);
    out.writeBytes(block);
  }

  private void longName(String name, char type) {
    byte[] bytes = (name + "\0").getBytes(StandardCharsets.UTF_8);
    if (bytes.length > NAME) {
      header("././@LongLink", type, 0644, bytes.length, "");
      body(bytes);
    }
  }

  private static void put(byte[] block, int at, String text, int most) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, block, at, Math.min(bytes.length, most));
  }
}
