package dev.sandboxer.platform.installation;

import java.util.Arrays;
import java.util.Optional;

/** Every setting of the platform: an environment variable, or the same key in the file. */
public enum Setting {
  /** JDBC URL of an external database, without user and password. */
  SANDBOXER_DB_URL,
  /** User of the external database. */
  SANDBOXER_DB_USER,
  /** File that holds the password of the external database. */
  SANDBOXER_DB_PASSWORD_FILE,
  /** {@code host:port} to listen on. */
  SANDBOXER_LISTEN,
  /** URL under which clients reach the platform. */
  SANDBOXER_PUBLIC_URL,
  /** Addresses of proxies whose forwarded headers count, separated by commas. */
  SANDBOXER_TRUSTED_PROXIES,
  /** {@code true} if a proxy in front ends TLS. */
  SANDBOXER_BEHIND_TLS_PROXY,
  /** Certificate chain, PEM. */
  SANDBOXER_TLS_CERT,
  /** Private key, PEM. */
  SANDBOXER_TLS_KEY,
  /** Origins that browsers may call from, separated by commas. */
  SANDBOXER_CORS_ORIGINS,
  /** Domain below which each port of a sandbox has a web origin of its own. */
  SANDBOXER_PORTS_DOMAIN,
  /** Host folders that may be mounted, separated by commas. */
  SANDBOXER_MOUNT_ROOTS,
  /** Name of this node. */
  SANDBOXER_NODE,
  /** URL of the State Hub. */
  SANDBOXER_STATE_HUB_URL,
  /** Token for the State Hub. */
  SANDBOXER_STATE_HUB_TOKEN,
  /** File with the 32 bytes of the master key. */
  SANDBOXER_MASTER_KEY_FILE,
  /** {@code first-last} of the user ids for sandboxes. */
  SANDBOXER_UID_RANGE,
  /** Path of nsjail. */
  SANDBOXER_NSJAIL,
  /** Socket of the Docker Engine, {@code unix:///path}. */
  SANDBOXER_DOCKER_HOST,
  /** SHA-256 list that extension jars must stand in. */
  SANDBOXER_EXTENSION_SUMS,
  /** Sandboxes that a tenant may hold at once where nothing else is said for it. */
  SANDBOXER_MAX_LIVE,
  /** For tests: where to stop the process, see the fail points. */
  SANDBOXER_FAILPOINT,
  /** The unpacked distribution. */
  SANDBOXER_DIST;

  /**
   * Finds a setting.
   *
   * @param key such as {@code SANDBOXER_LISTEN}
   * @return empty if there is no such setting
   */
  public static Optional<Setting> of(String key) {
    return Arrays.stream(values()).filter(s -> s.name().equals(key)).findFirst();
  }
}
