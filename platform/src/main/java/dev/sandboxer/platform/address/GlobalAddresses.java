package dev.sandboxer.platform.address;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tells public addresses from those that lead somewhere else: this machine, a private network, a
 * cloud's metadata, many receivers. Source: IANA's registries of special-purpose addresses.
 */
public final class GlobalAddresses {

  private static final List<AddressRange> SPECIAL_V4 =
      ranges(
          "0.0.0.0/8",
          "10.0.0.0/8",
          "100.64.0.0/10",
          "127.0.0.0/8",
          "169.254.0.0/16",
          "172.16.0.0/12",
          "192.0.0.0/24",
          "192.0.2.0/24",
          "192.88.99.0/24",
          "192.168.0.0/16",
          "198.18.0.0/15",
          "198.51.100.0/24",
          "203.0.113.0/24",
          "224.0.0.0/4",
          "240.0.0.0/4");

  private static final AddressRange UNICAST_V6 = AddressRange.parse("2000::/3");
  private static final List<AddressRange> SPECIAL_V6 =
      ranges("2001::/23", "2001:db8::/32", "3fff::/20");

  private static final AddressRange NAT64 = AddressRange.parse("64:ff9b::/96");
  private static final int NAT64_AT = 12;
  private static final AddressRange SIX_TO_FOUR = AddressRange.parse("2002::/16");
  private static final int SIX_TO_FOUR_AT = 2;

  private GlobalAddresses() {}

  private static List<AddressRange> ranges(String... texts) {
    return Stream.of(texts).map(AddressRange::parse).toList();
  }

  /**
   * Whether an address is public.
   *
   * @param address to judge; one that carries another (NAT64, 6to4, IPv4-mapped) by that one
   * @return true for global unicast only
   */
  public static boolean isGlobal(InetAddress address) {
    InetAddress real = carried(address);
    if (real instanceof Inet4Address) {
      return SPECIAL_V4.stream().noneMatch(range -> range.contains(real));
    }
    return UNICAST_V6.contains(real)
        && SPECIAL_V6.stream().noneMatch(range -> range.contains(real));
  }

  /**
   * The address that is really called.
   *
   * @param address to unwrap
   * @return the IPv4 address inside of NAT64 and 6to4, else the same; the JDK itself unwraps
   *     IPv4-mapped ones
   */
  public static InetAddress carried(InetAddress address) {
    if (NAT64.contains(address)) {
      return inside(address, NAT64_AT);
    }
    return SIX_TO_FOUR.contains(address) ? inside(address, SIX_TO_FOUR_AT) : address;
  }

  private static InetAddress inside(InetAddress address, int at) {
    try {
      return InetAddress.getByAddress(Arrays.copyOfRange(address.getAddress(), at, at + 4));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are an address", e);
    }
  }
}
