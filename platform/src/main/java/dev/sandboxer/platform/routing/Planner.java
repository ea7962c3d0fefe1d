package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.extension.Probes;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.trace.Span;
import dev.sandboxer.platform.trace.Tracing;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.SandboxSpec;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Decides where a sandbox may go, in the order that the profile names. */
@ApplicationScoped
public class Planner {

  private static final Duration PROBE_AGE = Duration.ofMinutes(10);

  private final Hosts hosts;
  private final Probes probes;
  private final Eligibility eligibility;
  private final Tracing tracing;

  Planner(Hosts hosts, Probes probes, Eligibility eligibility, Tracing tracing) {
    this.hosts = hosts;
    this.probes = probes;
    this.eligibility = eligibility;
    this.tracing = tracing;
  }

  /**
   * Plans. Blocks, at most some seconds, while a backend is probed; never inside a transaction.
   *
   * @param spec what is to be established
   * @param allowed backends that the profile allows, in its order
   * @return candidates in the order to try, and the reasons of each rejection
   */
  public Plan plan(SandboxSpec spec, List<ExtensionId> allowed) {
    try (Span span = tracing.step("sandbox.route")) {
      List<Candidate> candidates = new ArrayList<>();
      List<Rejection> rejected = new ArrayList<>();
      HostRef host = hosts.node().host();
      for (ExtensionId extension : allowed) {
        List<Rejection.Reason> reasons =
            eligibility.reasons(extension, spec, notEnforced(extension, host, spec));
        if (reasons.isEmpty()) {
          candidates.add(new Candidate(extension, host));
        } else {
          rejected.add(new Rejection(extension, host.id(), reasons));
        }
      }
      span.set("sandboxer.candidates", candidates.size());
      return new Plan(candidates, rejected);
    }
  }

  /**
   * The limits that the backend cannot enforce on this host. Process sandboxes depend on the host's
   * cgroups, so the host is probed. A container engine reports its own limits.
   */
  private Set<Limit> notEnforced(ExtensionId extension, HostRef host, SandboxSpec spec) {
    if (spec.isolation() != IsolationLevel.PROCESS
        || spec.bestEffort().containsAll(EnumSet.allOf(Limit.class))) {
      return Set.of();
    }
    return probes
        .of(extension.text(), host, PROBE_AGE)
        .probe()
        .filter(Probing.Probe::usable) // else provision reports what is wrong
        .map(Probing.Probe::notEnforced)
        .orElse(Set.of());
  }
}
