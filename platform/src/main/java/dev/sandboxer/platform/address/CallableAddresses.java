package dev.sandboxer.platform.address;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;

/**
 * What the platform calls for tenants: public addresses that are not this machine's, and what the
 * operator has opened.
 *
 * @param opened ranges that the operator has opened on purpose
 */
public record CallableAddresses(List<AddressRange> opened) {

  /** Keeps an immutable copy. */
  public CallableAddresses {
    opened = List.copyOf(opened);
  }

  /**
   * Whether the operator has opened an address.
   *
   * @param address to judge
   * @return true if it lies in one of the ranges
   */
  public boolean isOpened(InetAddress address) {
    InetAddress real = GlobalAddresses.carried(address);
    return opened.stream().anyMatch(range -> range.contains(real));
  }

  /**
   * Whether the operator has opened a whole range.
   *
   * @param range to judge
   * @return true if it lies in one of the ranges
   */
  public boolean covers(AddressRange range) {
    return opened.stream().anyMatch(one -> one.covers(range));
  }

  /**
   * Whether an address is public and another machine's.
   *
   * @param address to judge
   * @return false if in doubt
   */
  public boolean isPublic(InetAddress address) {
    try {
      return GlobalAddresses.isGlobal(address)
          && NetworkInterface.getByInetAddress(GlobalAddresses.carried(address)) == null;
    } catch (SocketException e) {
      return false;
    }
  }
}
