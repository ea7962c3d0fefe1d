package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.address.HostPattern;
import dev.sandboxer.platform.dataplane.PrivateFile;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.egress.EgressAuthority;
import dev.sandboxer.platform.egress.EgressFigures;
import dev.sandboxer.platform.egress.EgressProxy;
import dev.sandboxer.platform.egress.EgressProxy.EgressException;
import dev.sandboxer.platform.egress.EgressRules;
import dev.sandboxer.platform.egress.EgressSecret;
import dev.sandboxer.platform.egress.WayOut;
import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.installation.KeyDerivation;
import dev.sandboxer.platform.profile.Profile;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Transition;
import dev.sandboxer.platform.sandbox.TransitionListener;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.secret.SecretException;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The ways out that this node keeps open: of sandboxes whose backend gives them no network. */
@ApplicationScoped
class WaysOut implements TransitionListener {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** The authorities that programs trust: those of the image, and the sandbox's own. */
  private static final String TRUSTED = Profile.SECRETS + "/ca-certificates.crt";

  /** Debian, Fedora, Alpine and SUSE. */
  private static final List<String> OF_THE_IMAGE =
      List.of(
          "/etc/ssl/certs/ca-certificates.crt",
          "/etc/pki/tls/certs/ca-bundle.crt",
          "/etc/ssl/cert.pem",
          "/etc/ssl/ca-bundle.pem");

  /** OpenSSL and what uses it, Go, curl, Python's requests and pip, Node.js, git, AWS, Cargo. */
  private static final List<String> TRUSTING =
      List.of(
          "SSL_CERT_FILE",
          "CURL_CA_BUNDLE",
          "REQUESTS_CA_BUNDLE",
          "NODE_EXTRA_CA_CERTS",
          "GIT_SSL_CAINFO",
          "AWS_CA_BUNDLE",
          "CARGO_HTTP_CAINFO");

  private static final Set<SandboxState> HAVE_ONE =
      Set.of(
          SandboxState.PROVISIONING,
          SandboxState.RESUMING,
          SandboxState.READY,
          SandboxState.ACTIVE);

  private final EgressProxy proxy;
  private final ExtensionRegistry registry;
  private final DeniedHosts denied;
  private final KeyDerivation derivation;
  private final SandboxSecrets secrets;
  private final Map<SandboxId, Open> open = new ConcurrentHashMap<>();

  WaysOut(
      EgressProxy proxy,
      ExtensionRegistry registry,
      DeniedHosts denied,
      KeyDerivation derivation,
      SandboxSecrets secrets) {
    this.secrets = secrets;
    this.proxy = proxy;
    this.registry = registry;
    this.denied = denied;
    this.derivation = derivation;
  }

  private record Open(String attemptId, WayOut out) {}

  /** The network that a backend is asked for: none where the proxy serves the sandbox. */
  Network forBackend(ExtensionId extension, Network wanted) {
    return proxied(extension, wanted) ? Network.NONE : wanted;
  }

  private boolean proxied(ExtensionId extension, Network wanted) {
    return wanted.mode() != NetworkMode.NONE
        && !registry
            .descriptor(extension.text())
            .map(can -> can.networkModes().contains(wanted.mode()))
            .orElse(false);
  }

  /** Adds the proxy's variables to an environment; those that it sets itself stay. */
  Map<String, String> environment(Sandbox sandbox, Attempt attempt, Map<String, String> own)
      throws SecretException {
    if (!proxied(attempt.extension(), sandbox.spec().network())) {
      return own;
    }
    Map<String, String> all = new LinkedHashMap<>(proxy.environment());
    if (intercepted(sandbox)) {
      TRUSTING.forEach(name -> all.put(name, TRUSTED));
    }
    all.putAll(own);
    return all;
  }

  private boolean intercepted(Sandbox sandbox) throws SecretException {
    return !hosts(sandbox, secrets.egress(sandbox)).isEmpty();
  }

  private static List<HostPattern> hosts(Sandbox sandbox, List<EgressSecret> secrets) {
    return EgressAuthority.hosts(EgressRules.of(sandbox.spec().network()), secrets);
  }

  /** What programs must trust to reach the hosts that the proxy intercepts, if there are any. */
  Optional<PrivateFile> trusted(Sandbox sandbox, Attempt attempt) throws SecretException {
    List<HostPattern> hosts = hosts(sandbox, secrets.egress(sandbox));
    return proxied(attempt.extension(), sandbox.spec().network()) && !hosts.isEmpty()
        ? Optional.of(
            new PrivateFile(
                TRUSTED,
                authority(sandbox, attempt, hosts)
                    .certificate()
                    .getBytes(StandardCharsets.US_ASCII),
                OF_THE_IMAGE))
        : Optional.empty();
  }

  private EgressAuthority authority(Sandbox sandbox, Attempt attempt, List<HostPattern> hosts) {
    return new EgressAuthority(derivation, sandbox.id(), attempt.generation(), hosts);
  }

  /** Opens the way out, if the sandbox has one, and closes that of an earlier attempt. */
  void open(Sandbox sandbox, Attempt attempt, DataplaneAddress address)
      throws EgressException, InterruptedException, SecretException {
    Network network = sandbox.spec().network();
    if (!proxied(attempt.extension(), network)) {
      return;
    }
    EgressRules rules = EgressRules.of(network);
    List<EgressSecret> added = secrets.egress(sandbox);
    WayOut out =
        proxy.open(
            new Endpoint(sandbox.id(), attempt.generation(), Transport.of(address)),
            rules,
            added,
            authority(sandbox, attempt, EgressAuthority.hosts(rules, added)),
            (host, port, reason) -> denied.add(sandbox, host, port, reason),
            LIMIT);
    close(open.put(sandbox.id(), new Open(attempt.id(), out)));
  }

  /**
   * What the programs of a sandbox have moved.
   *
   * @return empty if this node keeps no way out of it
   */
  Optional<EgressFigures> figures(SandboxId id) {
    return Optional.ofNullable(open.get(id)).map(one -> one.out().figures());
  }

  /** Whether the way out of an attempt is open. */
  boolean has(SandboxId id, String attemptId) {
    return Optional.ofNullable(open.get(id))
        .filter(one -> one.attemptId().equals(attemptId))
        .isPresent();
  }

  /** Closes those of sandboxes that are not among these. */
  void closeBut(Set<SandboxId> kept) {
    open.keySet().stream().filter(id -> !kept.contains(id)).forEach(id -> close(open.remove(id)));
  }

  private static void close(@Nullable Open one) {
    if (one != null) {
      one.out().close();
    }
  }

  @Override
  public void changed(Handle transaction, Transition transition) {
    Sandbox sandbox = transition.sandbox();
    if (!HAVE_ONE.contains(sandbox.state())) {
      transaction.afterCommit(() -> close(open.remove(sandbox.id())));
    }
  }
}
