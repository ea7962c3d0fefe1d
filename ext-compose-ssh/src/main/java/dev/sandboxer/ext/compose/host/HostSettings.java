package dev.sandboxer.ext.compose.host;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.ssh.HostKeys;
import dev.sandboxer.ssh.SshAddress;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshKey;
import dev.sandboxer.ssh.SshTarget;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an operator says of a machine.
 *
 * @param target who logs in where
 * @param remoteDir below which the folders of sandboxes are made
 * @param dockerSocket of the Engine
 * @param compose the program
 * @param path where programs are looked for
 * @param descriptors whether clients are shown user, machine and folder
 */
record HostSettings(
    SshTarget target,
    String remoteDir,
    String dockerSocket,
    String compose,
    String path,
    boolean descriptors) {

  private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  static HostSettings of(HostRef host) throws ExtensionException {
    Map<String, Object> settings = host.settings();
    if (!host.address().startsWith("ssh://")) {
      throw new ExtensionException(
          ErrorCode.UNSUPPORTED,
          "host %s has the address '%s': ext.compose-ssh needs ssh://user@host[:port]"
              .formatted(host.id(), host.address()));
    }
    SshKey key = key(host);
    Object jump = settings.get("jump");
    try {
      return new HostSettings(
          target(
              host,
              host.address(),
              key,
              "host_key",
              jump == null
                  ? Optional.empty()
                  : Optional.of(
                      target(host, jump.toString(), key, "jump_host_key", Optional.empty()))),
          text(settings, "remote_dir", "/var/tmp/sandboxer"),
          text(settings, "docker_socket", "/var/run/docker.sock"),
          text(settings, "compose", "docker compose"),
          text(settings, "path", PATH),
          !Boolean.FALSE.equals(settings.get("descriptors")));
    } catch (SshException | IllegalArgumentException e) {
      throw wrong(host, String.valueOf(e.getMessage()));
    }
  }

  private static SshTarget target(
      HostRef host, String address, SshKey key, String pin, Optional<SshTarget> jump)
      throws SshException, ExtensionException {
    SshAddress at = SshAddress.parse(address);
    return new SshTarget(
        at.user().orElseThrow(() -> wrong(host, "the address " + address + " names no user")),
        at.host(),
        at.port(),
        key,
        hostKeys(host, pin),
        jump);
  }

  /** There is no trust on first use: without a pinned key every server is refused. */
  private static HostKeys hostKeys(HostRef host, String pin) {
    Object known = host.settings().get("known_hosts");
    if (known != null && !host.settings().containsKey(pin)) {
      return new HostKeys.KnownHosts(Path.of(known.toString()));
    }
    List<?> pinned = host.settings().get(pin) instanceof List<?> list ? list : List.of();
    return new HostKeys.Fingerprints(new HashSet<>(pinned.stream().map(String::valueOf).toList()));
  }

  private static SshKey key(HostRef host) throws ExtensionException {
    @Nullable String given = host.credentials().get("key");
    @Nullable Object file = host.settings().get("key_file");
    Optional<String> passphrase = Optional.ofNullable(host.credentials().get("passphrase"));
    if (given != null) {
      return new SshKey.Given(given, passphrase);
    }
    if (file != null) {
      return new SshKey.InFile(Path.of(file.toString()), passphrase);
    }
    throw wrong(
        host,
        "no private key: credentials.key by reference, or settings.key_file, a file on the platform's machine");
  }

  private static String text(Map<String, Object> settings, String name, String fallback) {
    return settings.getOrDefault(name, fallback).toString();
  }

  private static ExtensionException wrong(HostRef host, String message) {
    return new ExtensionException(ErrorCode.VALIDATION, "host " + host.id() + ": " + message);
  }
}
