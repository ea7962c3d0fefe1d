package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.provisioning.ReachableSandboxes;
import dev.sandboxer.platform.token.TokenClaims;
import dev.sandboxer.spi.DataplaneAddress;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The sandboxes of the whole platform. Those that listen on Unix sockets are reached over the
 * transport that a test asks for.
 */
@Alternative
@Singleton
public final class ViaTargets implements DataplaneTargets {

  private final ReachableSandboxes sandboxes;
  private final BoxdCertificates certificates;
  private final Map<Path, TlsFront> fronts = new ConcurrentHashMap<>();
  private volatile Via via = Via.UNIX;

  ViaTargets(ReachableSandboxes sandboxes, BoxdCertificates certificates) {
    this.sandboxes = sandboxes;
    this.certificates = certificates;
  }

  /** Connections from now on take this transport. */
  void over(Via transport) {
    via = transport;
  }

  /** From now on all is as the platform has it. */
  void reset() throws IOException {
    over(Via.UNIX);
    for (TlsFront front : fronts.values()) {
      front.close();
    }
    fronts.clear();
  }

  @Override
  public Optional<Target> find(SandboxId sandboxId) {
    return sandboxes.find(sandboxId).map(this::reached);
  }

  @Override
  public Optional<Target> load(SandboxId sandboxId) {
    return sandboxes.load(sandboxId).map(this::reached);
  }

  private Target reached(Target known) {
    return via != Via.UNIX && known.transport() instanceof Transport.Unix(Path socket)
        ? new Target(
            known.sandboxId(),
            known.tenantId(),
            known.generation(),
            known.minEpoch(),
            Transport.of(address(known, socket)))
        : known;
  }

  private DataplaneAddress address(Target known, Path socket) {
    return via == Via.TLS
        ? fronts.computeIfAbsent(socket, path -> front(known, path)).address()
        : via.address(UnixDomainSocketAddress.of(socket));
  }

  private TlsFront front(Target known, Path socket) {
    try {
      return new TlsFront(certificates.pair(known.sandboxId(), known.generation()), socket);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void used(Target target) {
    sandboxes.used(target);
  }

  @Override
  public void moved(Target target, long bytes) {
    sandboxes.moved(target, bytes);
  }

  @Override
  public long minEpoch(Target target, TokenClaims claims) {
    return sandboxes.minEpoch(target, claims);
  }

  @Override
  public boolean ended(Target target, TokenClaims claims) {
    return sandboxes.ended(target, claims);
  }

  @Override
  public void lost(Target target) {
    sandboxes.lost(target);
  }

  @Override
  public boolean stale() {
    return sandboxes.stale();
  }
}
