package dev.sandboxer.platform.host;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.installation.StartupException;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** This node and the hosts it reaches. */
@ApplicationScoped
public class Hosts {

  private static final int LEASE_SECONDS = 30;

  private static final String REGISTER =
      """
      insert into node (id, boot_id, version, lease_until, extensions)
      values (:id, cast(:boot as uuid), :version,
        clock_timestamp() + make_interval(secs => :seconds), :extensions)
      on conflict (id) do update set boot_id = excluded.boot_id, version = excluded.version,
        extensions = excluded.extensions,
        lease_until = excluded.lease_until, started_at = clock_timestamp()
      """;

  private final Jdbi jdbi;
  private final Node node;
  private volatile boolean registered;
  private volatile boolean leaving;

  Hosts(Jdbi jdbi, Home home, Settings settings) {
    this.jdbi = jdbi;
    this.node = new Node(nodeId(home, settings), UUID.randomUUID().toString());
  }

  /**
   * This running process.
   *
   * @return the same for as long as it runs
   */
  public Node node() {
    return node;
  }

  /**
   * Enters node and local host into the database.
   *
   * @param version of the platform
   * @param extensions ids of those that it can call
   */
  public void register(String version, Set<String> extensions) {
    jdbi.useTransaction(
        transaction -> {
          transaction
              .createUpdate(REGISTER)
              .bind("id", node.id())
              .bind("boot", node.boot())
              .bind("version", version)
              .bindArray("extensions", String.class, extensions.stream().sorted().toArray())
              .bind("seconds", LEASE_SECONDS)
              .execute();
          transaction
              .createUpdate(
                  """
                  insert into host (id, address, node_id) values (:id, 'local', :id)
                  on conflict (id) do update set removed_at = null
                  """)
              .bind("id", node.id())
              .execute();
        });
    registered = true;
  }

  /**
   * Lets the other nodes know where they reach this one.
   *
   * @param url of its listener, empty if they cannot
   */
  public void reachedAt(Optional<String> url) {
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate("update node set internal_url = :url where id = :id")
                .bind("url", url.orElse(null))
                .bind("id", node.id())
                .execute());
  }

  /**
   * Whether this node reaches a host. Its own machine is known without a look.
   *
   * @param open the transaction
   * @param id of the host
   * @return false if only another node does
   */
  public boolean reaches(Handle open, String id) {
    return id.equals(node.id())
        || open.createQuery("select node_id is null or node_id = :node from host where id = :id")
            .bind("node", node.id())
            .bind("id", id)
            .mapTo(Boolean.class)
            .one();
  }

  /** From now on this node says that it is not ready. */
  public void endsSoon() {
    leaving = true;
  }

  boolean leaving() {
    return leaving;
  }

  /** This node ends: the others need not wait for its lease to run out. */
  public void leave() {
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(
                    """
                    update node set lease_until = clock_timestamp()
                    where id = :id and boot_id = cast(:boot as uuid)
                    """)
                .bind("id", node.id())
                .bind("boot", node.boot())
                .execute());
  }

  boolean registered() {
    return registered;
  }

  /** Renews the node's lease. */
  @RunOnVirtualThread
  @Scheduled(identity = "node lease", every = "10s", concurrentExecution = SKIP)
  void renew() {
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(
                    """
                    update node set lease_until = clock_timestamp() + make_interval(secs => :seconds)
                    where id = :id
                    """)
                .bind("seconds", LEASE_SECONDS)
                .bind("id", node.id())
                .execute());
  }

  private static String nodeId(Home home, Settings settings) {
    return settings.text(Setting.SANDBOXER_NODE).orElseGet(() -> keptId(home));
  }

  private static String keptId(Home home) {
    Path file = home.resolve("node");
    try {
      if (Files.exists(file)) {
        return Files.readString(file).strip();
      }
      String id = hostName() + "-" + UUID.randomUUID().toString().substring(0, 4);
      home.writePrivate("node", id.getBytes(java.nio.charset.StandardCharsets.UTF_8));
      return id;
    } catch (IOException e) {
      throw new StartupException("the node's id in " + file + " cannot be read", e);
    }
  }

  private static String hostName() {
    try {
      String name = InetAddress.getLocalHost().getHostName().toLowerCase(Locale.ROOT);
      String safe = name.replaceAll("[^a-z0-9-]", "-");
      return safe.substring(0, Math.min(safe.length(), 40));
    } catch (IOException e) {
      return "node";
    }
  }
}
