package dev.sandboxer.ext.docker;

import dev.sandboxer.ext.docker.wire.EngineRoute;
import dev.sandboxer.ext.docker.wire.SshRoute;
import dev.sandboxer.ext.docker.wire.TlsIdentity;
import dev.sandboxer.ext.docker.wire.TlsRoute;
import dev.sandboxer.ext.docker.wire.UnixRoute;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.ssh.RegisteredHost;
import dev.sandboxer.ssh.SshSettings;
import dev.sandboxer.ssh.host.SshConnections;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Ways to the Engines of hosts: a socket of this machine, one of another machine by SSH, or a port
 * by TLS. What is done on one machine by SSH shares its connections.
 */
final class EngineRoutes implements AutoCloseable {

  static final String SSH = "ssh://";
  static final String TCP = "tcp://";
  private static final String SOCKET = "/var/run/docker.sock";
  private static final int TLS_PORT = 2376;
  private static final int LAST_PORT = 65_535;
  private static final Pattern PORT =
      Pattern.compile(
          "tcp://(?:\\[([0-9A-Fa-f:.]+)\\]|([A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})))(?::([0-9]{1,5}))?/?");

  private final Path local;

  /** By what they were made from: a credential or a file may change. */
  private final Map<Pair, TlsIdentity> identities = new ConcurrentHashMap<>();

  private @Nullable SshConnections ssh;

  /**
   * Connects to nobody yet.
   *
   * @param local the socket of the Engine of hosts whose address is {@code local}
   */
  EngineRoutes(Path local) {
    this.local = local;
  }

  /** Texts in PEM. */
  private record Pair(String authority, String certificate, String key) {

    /** Without the secret. */
    @Override
    public String toString() {
      return "Pair[...]";
    }
  }

  EngineRoute of(HostRef host) throws ExtensionException {
    if (host.local()) {
      return new UnixRoute(local);
    }
    String address = host.address();
    if (address.startsWith(SSH)) {
      return new SshRoute(
          connections().host(RegisteredHost.target(host)),
          host.settings().getOrDefault("docker_socket", SOCKET).toString());
    }
    return address.startsWith(TCP) ? tls(host) : new UnixRoute(EngineAddress.socket(host));
  }

  /** The first one takes a while to make, and most installations need none. */
  private synchronized SshConnections connections() {
    SshConnections made = ssh;
    if (made == null) {
      made = new SshConnections(SshSettings.DEFAULT);
      ssh = made;
    }
    return made;
  }

  private TlsRoute tls(HostRef host) throws ExtensionException {
    Matcher parts = PORT.matcher(host.address());
    if (!parts.matches()) {
      throw wrong(host, "'%s' must be tcp://host[:port]".formatted(host.address()));
    }
    int port = parts.group(3) == null ? TLS_PORT : Integer.parseInt(parts.group(3));
    if (port < 1 || port > LAST_PORT) {
      throw wrong(host, "port " + port + " is not within 1 and " + LAST_PORT);
    }
    Pair pair = new Pair(text(host, "ca_file"), text(host, "certificate_file"), key(host));
    return new TlsRoute(
        parts.group(1) == null ? parts.group(2) : parts.group(1), port, identity(host, pair));
  }

  private TlsIdentity identity(HostRef host, Pair pair) throws ExtensionException {
    TlsIdentity known = identities.get(pair);
    if (known != null) {
      return known;
    }
    try {
      TlsIdentity made = TlsIdentity.of(pair.authority(), pair.certificate(), pair.key());
      TlsIdentity other = identities.putIfAbsent(pair, made);
      return other == null ? made : other;
    } catch (IOException e) {
      throw wrong(host, String.valueOf(e.getMessage()));
    }
  }

  private static String key(HostRef host) throws ExtensionException {
    String given = host.credentials().get("key");
    return given == null ? text(host, "key_file") : given;
  }

  private static String text(HostRef host, String setting) throws ExtensionException {
    Object file = host.settings().get(setting);
    if (file == null) {
      throw wrong(
          host,
          "settings.%s is missing%s. tcp:// is spoken by TLS alone, with certificates on both sides (dockerd --tlsverify): settings.ca_file, settings.certificate_file, and credentials.key or settings.key_file; plain TCP is never used"
              .formatted(setting, setting.equals("key_file") ? ", and so is credentials.key" : ""));
    }
    try {
      return Files.readString(Path.of(file.toString()));
    } catch (IOException | RuntimeException e) {
      throw wrong(host, "settings.%s: %s cannot be read: %s".formatted(setting, file, e));
    }
  }

  private static ExtensionException wrong(HostRef host, String message) {
    return new ExtensionException(ErrorCode.VALIDATION, "host " + host.id() + ": " + message);
  }

  @Override
  public synchronized void close() {
    if (ssh != null) {
      ssh.close();
    }
  }
}
