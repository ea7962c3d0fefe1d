package dev.sandboxer.platform.egress;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import io.quarkus.scheduler.Scheduled;
import io.quarkus.vertx.http.HttpServer;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Where the platform's nodes, its database, and the registered hosts of backends listen. */
@ApplicationScoped
class PlatformEndpoints implements EgressProxy.Own {

  private static final Logger LOG = Logger.getLogger(PlatformEndpoints.class);
  private static final int POSTGRES = 5432;
  private static final int EVERY_PORT = 0;

  private final Jdbi jdbi;
  private final Instance<HttpServer> server;
  private final String database;
  private volatile @Nullable Set<InetSocketAddress> known; // null until the first look

  PlatformEndpoints(
      Jdbi jdbi,
      Instance<HttpServer> server,
      @ConfigProperty(name = "quarkus.datasource.jdbc.url") String database) {
    this.jdbi = jdbi;
    this.server = server;
    this.database = database;
  }

  @Override
  public boolean listensAt(InetAddress address, int port) {
    Set<InetSocketAddress> all = known;
    return all == null
        || all.stream()
            .anyMatch(
                one ->
                    (one.getPort() == port || one.getPort() == EVERY_PORT)
                        && (one.getAddress().equals(address)
                            || (ofThisMachine(address) && ofThisMachine(one.getAddress()))));
  }

  /** What listens at one address of a machine may listen at all of them. */
  private static boolean ofThisMachine(InetAddress address) {
    try {
      return address.isAnyLocalAddress()
          || address.isLoopbackAddress()
          || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return true;
    }
  }

  /** Nodes come and go, and names move. */
  @RunOnVirtualThread
  @Scheduled(identity = "platform-endpoints", every = "5s", concurrentExecution = SKIP)
  void look() {
    Set<InetSocketAddress> found = new HashSet<>();
    InetAddress here = InetAddress.getLoopbackAddress();
    HttpServer listening = server.get();
    for (int port : new int[] {listening.getPort(), listening.getSecurePort()}) {
      if (port > 0) {
        found.add(new InetSocketAddress(here, port));
      }
    }
    List<InetSocketAddress> named = new ArrayList<>(ofDatabase(database));
    nodes().forEach(url -> named.add(ofUrl(url)));
    backends().forEach(address -> ofBackend(address).ifPresent(named::add));
    named.forEach(one -> add(found, one));
    known = Set.copyOf(found);
  }

  private List<String> nodes() {
    return jdbi.withHandle(
        open ->
            open.createQuery("select internal_url from node where internal_url is not null")
                .mapTo(String.class)
                .list());
  }

  private List<String> backends() {
    return jdbi.withHandle(
        open ->
            open.createQuery(
                    "select address from host where extension_id is not null and removed_at is null")
                .mapTo(String.class)
                .list());
  }

  /** What is no URL with a host only its extension understands. */
  private static Optional<InetSocketAddress> ofBackend(String address) {
    try {
      URI uri = new URI(address);
      int port = uri.getPort() > 0 ? uri.getPort() : EVERY_PORT;
      return Optional.ofNullable(uri.getHost())
          .map(host -> InetSocketAddress.createUnresolved(host, port));
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  private static InetSocketAddress ofUrl(String url) {
    URI uri = URI.create(url);
    int usual = "https".equals(uri.getScheme()) ? 443 : 80;
    return InetSocketAddress.createUnresolved(
        uri.getHost(), uri.getPort() > 0 ? uri.getPort() : usual);
  }

  /** Those of {@code jdbc:postgresql://host:port,host:port/name}. */
  private static List<InetSocketAddress> ofDatabase(String url) {
    String authority = url.replaceFirst("^[^/]*//", "").replaceFirst("[/?].*$", "");
    List<InetSocketAddress> all = new ArrayList<>();
    for (String one : authority.split(",", -1)) {
      int colon = one.lastIndexOf(':');
      boolean port = colon > one.lastIndexOf(']');
      all.add(
          InetSocketAddress.createUnresolved(
              port ? one.substring(0, colon) : one,
              port ? Integer.parseInt(one.substring(colon + 1)) : POSTGRES));
    }
    return all;
  }

  /** Of a name that cannot be looked up now, what was known before stays. */
  private void add(Set<InetSocketAddress> found, InetSocketAddress named) {
    try {
      for (InetAddress address : InetAddress.getAllByName(named.getHostString())) {
        found.add(new InetSocketAddress(address, named.getPort()));
      }
    } catch (UnknownHostException e) {
      LOG.warnf("an address of the platform is not known host=%s", named.getHostString());
      Set<InetSocketAddress> before = known;
      if (before != null) {
        before.stream().filter(one -> one.getPort() == named.getPort()).forEach(found::add);
      }
    }
  }
}
