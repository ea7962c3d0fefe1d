package dev.sandboxer.platform.token;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.Arrays;

/** Signatures that were good, and are not any more. */
final class OddSignatures {

  private static final BigInteger ORDER =
      new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);

  private OddSignatures() {}

  static byte[] orders() {
    byte[] both = new byte[64];
    byte[] order = ORDER.toByteArray();
    System.arraycopy(order, order.length - 32, both, 0, 32);
    System.arraycopy(order, order.length - 32, both, 32, 32);
    return both;
  }

  static byte[] turned(byte[] signature) {
    byte[] s = ORDER.subtract(new BigInteger(1, signature, 32, 32)).toByteArray();
    byte[] turned = Arrays.copyOf(signature, 64);
    Arrays.fill(turned, 32, 64, (byte) 0);
    int length = Math.min(32, s.length);
    System.arraycopy(s, s.length - length, turned, 64 - length, length);
    return turned;
  }

  static byte[] der(byte[] signature) {
    byte[] r = new BigInteger(1, signature, 0, 32).toByteArray();
    byte[] s = new BigInteger(1, signature, 32, 32).toByteArray();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(0x30);
    out.write(r.length + s.length + 4);
    out.write(2);
    out.write(r.length);
    out.writeBytes(r);
    out.write(2);
    out.write(s.length);
    out.writeBytes(s);
    return out.toByteArray();
  }

  static byte[] flipped(byte[] signature) {
    byte[] flipped = signature.clone();
    flipped[40] ^= 1;
    return flipped;
  }
}
