package dev.sandboxer.bench.subject;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The first block of an archive of one file. */
public final class TarHead {

  private static final int BLOCK = 512;
  private static final int SUM_AT = 148;
  private static final int SUM_LENGTH = 8;

  private TarHead() {}

  /** For a file of this name and size. */
  public static ByteBuffer of(String name, long size) {
    byte[] head = new byte[BLOCK];
    put(head, 0, name);
    put(head, 100, "0000644");
    put(head, 108, "0000000");
    put(head, 116, "0000000");
    put(head, 124, "%011o".formatted(size));
    put(head, 136, "00000000000");
    put(head, SUM_AT, " ".repeat(SUM_LENGTH));
    head[156] = '0';
    put(head, 257, "ustar\00000");
    int sum = 0;
    for (byte one : head) {
      sum += one & 0xff;
    }
    put(head, SUM_AT, "%06o\0 ".formatted(sum));
    return ByteBuffer.wrap(head);
  }

  /** Bytes of the whole archive with its padding and its end. */
  public static long archiveBytes(long size) {
    return BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK + 2L * BLOCK;
  }

  private static void put(byte[] head, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(bytes, 0, head, at, bytes.length);
  }
}
