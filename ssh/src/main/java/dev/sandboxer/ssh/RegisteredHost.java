package dev.sandboxer.ssh;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A machine as operators register it as a host, with the same words for each extension: an address
 * {@code ssh://user@host[:port]}, the settings {@code host_key}, {@code known_hosts}, {@code
 * key_file}, {@code jump} and {@code jump_host_key}, and the credentials {@code key} and {@code
 * passphrase}.
 */
public final class RegisteredHost {

  private final HostRef host;

  private RegisteredHost(HostRef host) {
    this.host = host;
  }

  /**
   * Reads who logs in where.
   *
   * @param host what the operator registered
   * @return the user and the machine
   * @throws ExtensionException VALIDATION if something is missing or wrong, with its name
   */
  public static SshTarget target(HostRef host) throws ExtensionException {
    return new RegisteredHost(host).target();
  }

  private SshTarget target() throws ExtensionException {
    Object through = host.settings().get("jump");
    try {
      SshKey key = key();
      Optional<SshTarget> jump =
          through == null
              ? Optional.empty()
              : Optional.of(target(through.toString(), key, "jump_host_key", Optional.empty()));
      return target(host.address(), key, "host_key", jump);
    } catch (SshException | IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  private SshTarget target(String address, SshKey key, String pin, Optional<SshTarget> jump)
      throws SshException, ExtensionException {
    SshAddress at = SshAddress.parse(address);
    return new SshTarget(
        at.user().orElseThrow(() -> wrong("the address " + address + " names no user")),
        at.host(),
        at.port(),
        key,
        hostKeys(pin),
        jump);
  }

  /** There is no trust on first use: without a pinned key every server is refused. */
  private HostKeys hostKeys(String pin) {
    Object known = host.settings().get("known_hosts");
    if (known != null && !host.settings().containsKey(pin)) {
      return new HostKeys.KnownHosts(Path.of(known.toString()));
    }
    List<?> pinned = host.settings().get(pin) instanceof List<?> list ? list : List.of();
    return new HostKeys.Fingerprints(new HashSet<>(pinned.stream().map(String::valueOf).toList()));
  }

  private SshKey key() throws ExtensionException {
    Map<String, String> secrets = host.credentials();
    @Nullable String given = secrets.get("key");
    @Nullable Object file = host.settings().get("key_file");
    Optional<String> passphrase = Optional.ofNullable(secrets.get("passphrase"));
    if (given != null) {
      return new SshKey.Given(given, passphrase);
    }
    if (file != null) {
      return new SshKey.InFile(Path.of(file.toString()), passphrase);
    }
    throw wrong(
        "no private key: credentials.key by reference, or settings.key_file, a file on the platform's machine");
  }

  private ExtensionException wrong(String message) {
    return new ExtensionException(ErrorCode.VALIDATION, "host " + host.id() + ": " + message);
  }
}
