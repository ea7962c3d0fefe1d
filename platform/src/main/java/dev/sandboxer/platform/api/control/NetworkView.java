package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.egress.EgressFigures;
import dev.sandboxer.platform.egress.EgressFigures.Figures;
import dev.sandboxer.platform.egress.EgressFigures.HostFigures;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** What the programs of a sandbox have moved. */
@Schema(name = "SandboxNetwork")
record NetworkView(
    @Schema(
            description =
                "when the figures begin: when the sandbox was ready, or its node restarted; null if"
                    + " it reaches nothing through the platform's proxy")
        @Nullable Instant since,
    @Schema(description = "to all hosts", examples = "5120") long sentBytes,
    @Schema(examples = "1048576") long receivedBytes,
    @Schema(description = "at most a hundred, those with the most bytes first") List<Host> hosts,
    @Schema(description = "all further hosts together") Others others) {

  /** One host. */
  @Schema(name = "NetworkHost")
  record Host(
      @Schema(examples = "pypi.org") String host,
      @Schema(examples = "443") int port,
      @Schema(description = "that were made") long connections,
      @Schema(description = "connections that were refused") long denied,
      long sentBytes,
      long receivedBytes) {

    private static Host of(HostFigures one) {
      Figures figures = one.figures();
      return new Host(
          one.host(),
          one.port(),
          figures.connections(),
          figures.denied(),
          figures.sentBytes(),
          figures.receivedBytes());
    }
  }

  /** Hosts without figures of their own. */
  @Schema(name = "NetworkOthers")
  record Others(long connections, long denied, long sentBytes, long receivedBytes) {

    private static final Others NONE = new Others(0, 0, 0, 0);

    private static Others of(Figures figures) {
      return new Others(
          figures.connections(), figures.denied(), figures.sentBytes(), figures.receivedBytes());
    }
  }

  static NetworkView of(Optional<EgressFigures> figures) {
    return figures
        .map(
            now ->
                new NetworkView(
                    now.since(),
                    now.total().sentBytes(),
                    now.total().receivedBytes(),
                    now.hosts().stream().map(Host::of).toList(),
                    Others.of(now.others())))
        .orElseGet(() -> new NetworkView(null, 0, 0, List.of(), Others.NONE));
  }
}
