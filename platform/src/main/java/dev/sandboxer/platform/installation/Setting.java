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
  /** URL under which other nodes of the installation reach this one. */
  SANDBOXER_INTERNAL_URL,
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
  /** Secrets that profiles of tenants may use, separated by commas. */
  SANDBOXER_GRANTED_SECRETS,
  /** Images that profiles of tenants may name, separated by commas. */
  SANDBOXER_IMAGES,
  /** Name of this node. */
  SANDBOXER_NODE,
  /** URL of the State Hub. */
  SANDBOXER_STATE_HUB_URL,
  /** Token for the State Hub. */
  SANDBOXER_STATE_HUB_TOKEN,
  /** Seconds to wait before each further try of an event that a sink alone fails with. */
  SANDBOXER_SINK_RETRIES,
  /** Ranges of addresses that webhooks may have beside public ones, separated by commas. */
  SANDBOXER_WEBHOOK_ALLOW,
  /** Ranges of addresses that sandboxes may reach besides public ones, separated by commas. */
  SANDBOXER_EGRESS_ALLOW,
  /** Name servers that the egress proxy asks, separated by commas. */
  SANDBOXER_EGRESS_DNS,
  /** Certificates of authorities to trust besides Java's own where the proxy ends TLS, PEM. */
  SANDBOXER_EGRESS_CA,
  /** How long a program's connection to a host may last, such as 24h. */
  SANDBOXER_EGRESS_MAX_DURATION,
  /** Seconds to wait before each further try of a webhook, separated by commas. */
  SANDBOXER_WEBHOOK_RETRIES,
  /** Certificates of authorities to trust beside Java's own, PEM. */
  SANDBOXER_CA_FILE,
  /** File with the 32 bytes of the master key. */
  SANDBOXER_MASTER_KEY_FILE,
  /** {@code first-last} of the user ids for sandboxes. */
  SANDBOXER_UID_RANGE,
  /** Path of nsjail. */
  SANDBOXER_NSJAIL,
  /** Socket of the Docker Engine, {@code unix:///path}. */
  SANDBOXER_DOCKER_HOST,
  /** Base URL of an OTLP/HTTP receiver of traces. */
  SANDBOXER_OTLP_ENDPOINT,
  /** SHA-256 list that extension jars must stand in. */
  SANDBOXER_EXTENSION_SUMS,
  /** Sandboxes that a tenant may hold at once where nothing else is said for it. */
  SANDBOXER_MAX_LIVE,
  /** Sandboxes that the sessions of one user may hold at once. */
  SANDBOXER_MAX_LIVE_USER,
  /** Volumes that a tenant may hold where nothing else is said for it. */
  SANDBOXER_MAX_VOLUMES,
  /** GiB that the volumes of a tenant may have together where nothing else is said for it. */
  SANDBOXER_MAX_VOLUME_GIB,
  /** MiB that the archives of a tenant may have together. */
  SANDBOXER_MAX_ARCHIVE_MIB,
  /** MiB that a node keeps of what the setup steps of profiles have made. */
  SANDBOXER_SETUP_CACHE_MIB,
  /** Boxes that a tenant may hold where nothing else is said for it. */
  SANDBOXER_MAX_BOXES,
  /** How long a box is kept after its sandbox has ended, such as 30d. */
  SANDBOXER_BOX_RETENTION,
  /** Seconds that a node goes on serving once it was asked to stop, not ready any more. */
  SANDBOXER_DRAIN_SECONDS,
  /** Seconds that a client token lives. */
  SANDBOXER_TOKEN_SECONDS,
  /** Seconds that a session's lease holds after a heartbeat. */
  SANDBOXER_LEASE_SECONDS,
  /** Seconds that a session outlives its newest token. */
  SANDBOXER_LEASE_GRACE_SECONDS,
  /** What {@code /sandbox/acquire} binds a sandbox to: thread, assistant, user or run. */
  SANDBOXER_SCOPE_STRATEGY,
  /** Profiles of sessions, {@code type=profile}, separated by commas. */
  SANDBOXER_SCOPE_PROFILES,
  /** Capabilities of actors, {@code human=exec+shell}, separated by commas. */
  SANDBOXER_ACTOR_CAPABILITIES,
  /** Seconds without the database after which the relay refuses. */
  SANDBOXER_REVOCATION_MAX_STALENESS,
  /** ISO 4217 code of the currency in which prices are compared. */
  SANDBOXER_CURRENCY,
  /** How long events are kept, such as 30d. */
  SANDBOXER_EVENT_RETENTION,
  /** Seconds between two comparisons of what a backend has with what is recorded. */
  SANDBOXER_SWEEP_SECONDS,
  /** Seconds that an object without a record is left alone, and then looked at again. */
  SANDBOXER_SWEEP_GRACE_SECONDS,
  /** The region that the platform stands in, such as {@code eu-west}. */
  SANDBOXER_REGION,
  /** Control token of the Box client of LangBot; without one that door is shut. */
  SANDBOXER_LANGBOT_TOKEN,
  /** Name of the tenant that the boxes of LangBot belong to. */
  SANDBOXER_LANGBOT_TENANT,
  /** Days that the audit is kept. */
  SANDBOXER_AUDIT_DAYS,
  /** Requests a minute that one user may make of the session doors. */
  SANDBOXER_USER_RATE,
  /** Requests a minute that one tenant may make of the session doors. */
  SANDBOXER_TENANT_RATE,
  /** Hours after which a signing key is replaced. */
  SANDBOXER_KEY_HOURS,
  /** Seconds that a new signing key is published before it signs. */
  SANDBOXER_KEY_PUBLISH_SECONDS,
  /** For tests: the process stops where a file of the home says so, see the fail points. */
  SANDBOXER_FAILPOINTS,
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
