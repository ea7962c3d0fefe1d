package dev.sandboxer.platform.api.host;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.host.Admission;
import dev.sandboxer.platform.host.Host;
import dev.sandboxer.spi.Probing;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A host as callers see it. Credentials show their references alone. */
@Schema(name = "Host")
record HostView(
    String name,
    @Schema(description = "null for a node's own machine, which serves its self-hosted extensions")
        @Nullable String extension,
    String address,
    @Schema(description = "the node that alone reaches it, null if all do") @Nullable String node,
    @Nullable String region,
    Map<String, String> labels,
    Map<String, Object> settings,
    @Schema(description = "names and references, never a secret") Map<String, String> credentials,
    @Schema(description = "what it takes at most; null for no limit") CapacityView capacity,
    @Schema(enumeration = {"ready", "cordoned", "draining", "unreachable"}) String state,
    LoadView load,
    @Schema(description = "what trying it found last, by extension") Map<String, ProbeView> probe,
    Instant createdAt) {

  static HostView of(Host host) {
    Map<String, ProbeView> probes = new TreeMap<>();
    host.probes().forEach((extension, probed) -> probes.put(extension, ProbeView.of(probed)));
    return new HostView(
        host.ref().id(),
        host.extension() == null ? null : host.extension().text(),
        host.ref().address(),
        host.node(),
        host.region(),
        new TreeMap<>(host.labels()),
        host.ref().settings(),
        host.ref().credentials(),
        new CapacityView(
            host.capacity().sandboxes(), host.capacity().cpus(), host.capacity().memoryBytes()),
        state(host),
        new LoadView(
            host.load().sandboxes(),
            host.load().cpus(),
            host.load().memoryBytes(),
            Math.round(host.share() * 1000) / 1000.0),
        probes,
        host.createdAt());
  }

  private static String state(Host host) {
    if (!host.nodeUp() || host.probes().values().stream().anyMatch(probed -> !probed.usable())) {
      return "unreachable";
    }
    return host.admission() == Admission.OPEN ? "ready" : host.admission().text();
  }

  @Schema(name = "HostCapacity")
  record CapacityView(
      @Schema(description = "at once; null for any number", minimum = "0", maximum = "1000000")
          @Nullable Integer sandboxes,
      @Schema(
              description =
                  "of all its sandboxes together, more than 0, up to nine decimals; null for any")
          @Nullable BigDecimal cpus,
      @Schema(description = "of all its sandboxes together; null for any", minimum = "1")
          @Nullable Long memoryBytes) {}

  @Schema(name = "HostLoad")
  record LoadView(
      int sandboxes,
      BigDecimal cpus,
      long memoryBytes,
      @Schema(description = "of its capacity, else of what a probe found") double share) {}

  @Schema(name = "HostProbe")
  record ProbeView(
      boolean usable,
      List<String> notEnforced,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable BigDecimal cpus,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long memoryBytes,
      @Schema(description = "that isolation.runtime may name; absent if the backend cannot tell")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable List<String> runtimes,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String detail,
      Instant probedAt) {

    static ProbeView of(Host.Probed probed) {
      Optional<Probing.Room> room = probed.room();
      return new ProbeView(
          probed.usable(),
          probed.notEnforced().stream().sorted().toList(),
          room.map(Probing.Room::cpus).orElse(null),
          room.map(Probing.Room::memoryBytes).orElse(null),
          probed.runtimes().map(names -> names.stream().sorted().toList()).orElse(null),
          probed.detail(),
          probed.at());
    }
  }
}
