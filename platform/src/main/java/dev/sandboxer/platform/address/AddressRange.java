package dev.sandboxer.platform.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Addresses with the same first bits.
 *
 * @param base an address of the range
 * @param bits how many first bits count
 */
public record AddressRange(InetAddress base, int bits) {

  /**
   * Reads a range.
   *
   * @param text such as {@code 10.0.0.0/8}, {@code fd00::/8} or one address
   * @return the range
   * @throws IllegalArgumentException if it is none
   */
  public static AddressRange parse(String text) {
    String[] parts = text.split("/", 2);
    try {
      InetAddress base = InetAddress.ofLiteral(parts[0]);
      int most = base.getAddress().length * Byte.SIZE;
      int bits = parts.length == 1 ? most : Integer.parseInt(parts[1]);
      if (bits >= 0 && bits <= most) {
        return new AddressRange(base, bits);
      }
    } catch (IllegalArgumentException e) {
      throw wrong(text, e);
    }
    throw wrong(text, null);
  }

  private static IllegalArgumentException wrong(String text, @Nullable Throwable cause) {
    return new IllegalArgumentException(
        "'%s' is no range of addresses, such as 10.0.0.0/8".formatted(text), cause);
  }

  /**
   * The first address of the range.
   *
   * @return the base, if it is written as usual
   */
  public InetAddress first() {
    byte[] first = base.getAddress();
    for (int bit = bits; bit < first.length * Byte.SIZE; bit++) {
      first[bit / Byte.SIZE] &= (byte) ~(0x80 >> bit % Byte.SIZE);
    }
    try {
      return InetAddress.getByAddress(first);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("as many bytes as an address has", e);
    }
  }

  /**
   * Whether all of another range lies in it.
   *
   * @param other of either family
   * @return false for one of the other family
   */
  public boolean covers(AddressRange other) {
    return bits <= other.bits && contains(other.base);
  }

  /**
   * Whether an address lies in it.
   *
   * @param address of either family
   * @return false for one of the other family
   */
  public boolean contains(InetAddress address) {
    byte[] mine = base.getAddress();
    byte[] other = address.getAddress();
    if (mine.length != other.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit++) {
      int mask = 0x80 >> bit % Byte.SIZE;
      if (((mine[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }
}
