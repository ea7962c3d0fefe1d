package dev.sandboxer.ext.compose.host;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.ssh.RegisteredHost;
import dev.sandboxer.ssh.SshTarget;
import java.util.Map;

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
    return new HostSettings(
        RegisteredHost.target(host),
        text(settings, "remote_dir", "/var/tmp/sandboxer"),
        text(settings, "docker_socket", "/var/run/docker.sock"),
        text(settings, "compose", "docker compose"),
        text(settings, "path", PATH),
        !Boolean.FALSE.equals(settings.get("descriptors")));
  }

  private static String text(Map<String, Object> settings, String name, String fallback) {
    return settings.getOrDefault(name, fallback).toString();
  }
}
