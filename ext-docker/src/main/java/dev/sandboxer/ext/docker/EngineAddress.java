package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Reads where an Engine is: {@code unix://} and an absolute path. */
final class EngineAddress {

  private static final String SCHEME = "unix://";

  private EngineAddress() {}

  /** The socket of a host that is not {@link HostRef#local()}. */
  static Path socket(HostRef host) throws ExtensionException {
    String address = host.address();
    if (address.startsWith(SCHEME)) {
      return socket(address, "the address of host " + host.id());
    }
    throw new ExtensionException(
        ErrorCode.UNSUPPORTED,
        "ext.docker cannot reach host %s at '%s': its address must be 'local', unix:///path/of/a.sock on the platform's own machine, ssh://user@host[:port] or tcp://host[:port]"
            .formatted(host.id(), address));
  }

  /**
   * The socket that an address names.
   *
   * @param what is read, for errors
   */
  static Path socket(String address, String what) throws ExtensionException {
    try {
      if (address.startsWith(SCHEME + "/")) {
        return Path.of(address.substring(SCHEME.length())).normalize();
      }
    } catch (InvalidPathException e) {
      // It is no path at all.
    }
    throw new ExtensionException(
        ErrorCode.VALIDATION,
        "%s is '%s': it must be unix:// and an absolute path, such as unix:///var/run/docker.sock"
            .formatted(what, address));
  }
}
