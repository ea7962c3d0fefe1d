package dev.sandboxer.e2e;

import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.faulty.Way;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * The ways to a dataplane: boxd alone, then through the relay by streams and TLS of an extension,
 * through another node, and on each backend.
 */
final class Doors implements ArgumentsProvider {

  /** One of them. */
  interface Door {

    /** Opens it where that has not happened yet. */
    Api.Dataplane dataplane();

    void close();
  }

  @Override
  public Stream<Arguments> provideArguments(
      ParameterDeclarations parameters, ExtensionContext context) {
    return Stream.concat(
            Stream.of(new Bare(), new By(Way.STREAMS), new By(Way.TLS), new ThroughPeer()),
            Backends.all().stream().map(Relayed::new))
        .map(Arguments::of);
  }

  private static final class Bare implements Door {

    private @Nullable BareBoxd boxd;

    @Override
    public Api.Dataplane dataplane() {
      BareBoxd running = boxd == null ? BareBoxd.start() : boxd;
      boxd = running;
      return running.dataplane();
    }

    @Override
    public void close() {
      Objects.requireNonNull(boxd).close();
    }

    @Override
    public String toString() {
      return "bare";
    }
  }

  /** The guide's extension has no sandbox worth the name, but a boxd like the others. */
  private static final class By implements Door {

    private final Way way;
    private final FaultyPlatform backend;
    private @Nullable Platform platform;
    private String sandbox = "";

    By(Way way) {
      this.way = way;
      this.backend = new FaultyPlatform(way, "other");
    }

    @Override
    public Api.Dataplane dataplane() {
      Platform running = platform;
      if (running == null) {
        running = backend.start();
        platform = running;
        backend.routed(running);
        sandbox = running.api().ready(backend.profile("faulty")).path("id").asText();
      }
      return running.api().access(sandbox);
    }

    @Override
    public void close() {
      Objects.requireNonNull(platform).close();
    }

    @Override
    public String toString() {
      return "by " + way;
    }
  }

  private static final class ThroughPeer implements Door {

    private @Nullable TwoNodes nodes;
    private String sandbox = "";

    @Override
    public Api.Dataplane dataplane() {
      TwoNodes running = nodes;
      if (running == null) {
        running = new TwoNodes(_ -> Map.of());
        nodes = running;
        sandbox = running.first().api().ready("local").path("id").asText();
      }
      return running.second().api().access(sandbox);
    }

    @Override
    public void close() {
      Objects.requireNonNull(nodes).close();
    }

    @Override
    public String toString() {
      return "through another node";
    }
  }

  private static final class Relayed implements Door {

    private final Backend backend;
    private @Nullable Platform platform;
    private String sandbox = "";

    Relayed(Backend backend) {
      this.backend = backend;
    }

    @Override
    public Api.Dataplane dataplane() {
      Platform running = platform;
      if (running == null) {
        running = Platform.start(Map.of());
        platform = running;
        sandbox = running.api().ready(backend.profile()).path("id").asText();
      }
      return running.api().access(sandbox);
    }

    @Override
    public void close() {
      Objects.requireNonNull(platform).close();
    }

    @Override
    public String toString() {
      return "relayed on " + backend;
    }
  }
}
