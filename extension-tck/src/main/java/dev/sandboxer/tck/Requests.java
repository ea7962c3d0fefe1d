package dev.sandboxer.tck;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sandboxer.spi.BoxdPlacement;
import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.spi.image.RegistryLogin;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Requests as the platform would make them for a small sandbox that the extension can run. */
final class Requests {
  private static final int LOWEST_UID = 2_000_000;
  private static final int UIDS = 60_000;
  private static final int ID_DIGITS = 19;
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final long MIB = 1L << 20;

  /** Of a registry that has no image of any test. */
  static final RegistryLogin LOGIN =
      new RegistryLogin(
          "registry.invalid", "tck", "canary-%x".formatted(ThreadLocalRandom.current().nextLong()));

  private final Environment environment;
  private final ExtensionDescriptor descriptor;
  private final BoxdBinary boxd;
  private final BoxdConfig config = new BoxdConfig();

  Requests(Environment environment, ExtensionDescriptor descriptor, BoxdBinary boxd) {
    this.environment = environment;
    this.descriptor = descriptor;
    this.boxd = boxd;
  }

  /** A new one, unlike any other on the backend. */
  static SandboxIdentity identity(String installation) {
    StringBuilder raw = new StringBuilder("t");
    for (int i = 0; i < ID_DIGITS; i++) {
      raw.append(Character.forDigit(ThreadLocalRandom.current().nextInt(36), 36));
    }
    return new SandboxIdentity(installation, raw.toString(), 1, 1);
  }

  ProvisionRequest of(SandboxIdentity identity) {
    return of(identity, spec(), LONG);
  }

  ProvisionRequest of(SandboxIdentity identity, SandboxSpec spec, Duration deadline) {
    return with(identity, spec, daemon(config.of(identity, deadline)));
  }

  /** One whose boxd cannot read its configuration and ends at once. */
  ProvisionRequest withBrokenBoxd(SandboxIdentity identity) {
    return with(identity, spec(), daemon("{\"broken\":true}".getBytes(UTF_8)));
  }

  /** One for which the platform has no boxd. */
  ProvisionRequest withoutBoxd(SandboxIdentity identity) {
    Daemon none =
        new Daemon(
            (os, arch) -> {
              throw new IllegalArgumentException("there is no boxd for " + os + "-" + arch);
            },
            List.of("serve"),
            config.of(identity, LONG));
    return with(identity, spec(), none);
  }

  private Daemon daemon(byte[] bytes) {
    return new Daemon(boxd::find, List.of("serve"), bytes);
  }

  private ProvisionRequest with(SandboxIdentity identity, SandboxSpec spec, Daemon daemon) {
    ProvisionRequest request =
        ProvisionRequest.of(identity, spec, environment.host(), daemon)
            .withRegistryLogins(List.of(LOGIN));
    return descriptor.uidLease()
        ? request.withUid(LOWEST_UID + ThreadLocalRandom.current().nextInt(UIDS))
        : request;
  }

  boolean hasBoxd() {
    return descriptor.boxd() != BoxdPlacement.NONE;
  }

  SandboxSpec spec() {
    return spec(weakest(), network(), List.of(), bestEffort());
  }

  SandboxSpec spec(IsolationLevel isolation) {
    return spec(isolation, network(), List.of(), bestEffort());
  }

  SandboxSpec spec(Network network) {
    return spec(weakest(), network, List.of(), bestEffort());
  }

  SandboxSpec spec(Mount mount) {
    return spec(weakest(), network(), List.of(mount), bestEffort());
  }

  SandboxSpec spec(Set<Limit> bestEffort) {
    return spec(weakest(), network(), List.of(), bestEffort);
  }

  /** Limits that the tried sandboxes may go without. */
  Set<Limit> bestEffort() {
    Set<Limit> limits = EnumSet.allOf(Limit.class);
    limits.removeAll(descriptor.limits());
    limits.addAll(environment.bestEffort());
    return limits;
  }

  private IsolationLevel weakest() {
    return descriptor.isolationLevels().stream().min(Comparator.naturalOrder()).orElseThrow();
  }

  private Network network() {
    NetworkMode mode =
        descriptor.networkModes().stream().min(Comparator.naturalOrder()).orElseThrow();
    return new Network(mode, List.of());
  }

  private SandboxSpec spec(
      IsolationLevel isolation, Network network, List<Mount> mounts, Set<Limit> bestEffort) {
    return SandboxSpec.builder(
            "profile.tck",
            1,
            isolation,
            new Resources(BigDecimal.ONE, 256 * MIB, 64, 16 * MIB, 16 * MIB, 256),
            Duration.ofHours(1))
        .image(environment.image().orElse(null))
        .network(network)
        .mounts(mounts)
        .labels(Map.of("tck", "true"))
        .bestEffort(bestEffort)
        .options(environment.options())
        .build();
  }
}
