package dev.sandboxer.e2e;

import dev.sandboxer.testing.client.Api;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** The ways to a dataplane: boxd alone, then through the relay on each backend. */
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
        Stream.of(Arguments.of(new Bare())),
        Backends.all().stream().map(backend -> Arguments.of(new Relayed(backend))));
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
