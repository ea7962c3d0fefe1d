package dev.sandboxer.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.client.Api;
import dev.sandboxer.cli.client.Endpoint;
import dev.sandboxer.cli.client.SandboxNames;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.cli.dataplane.Grants;
import dev.sandboxer.cli.terminal.Console;
import dev.sandboxer.cli.terminal.Interrupts;
import dev.sandboxer.dataplane.Connections;
import dev.sandboxer.dataplane.Dataplane;
import java.time.Clock;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a verb works with; connections are made when first asked for, so that a verb that needs none
 * costs none.
 */
public final class Context implements AutoCloseable {
  private final Map<String, String> environment;
  private final Console console;
  private final Interrupts interrupts;
  private final Clock clock;
  private final Connections connections = new Connections();
  private @Nullable Api api;

  public Context(
      Map<String, String> environment, Console console, Interrupts interrupts, Clock clock) {
    this.environment = Map.copyOf(environment);
    this.console = console;
    this.interrupts = interrupts;
    this.clock = clock;
  }

  /** The process's environment. */
  public Map<String, String> environment() {
    return environment;
  }

  /** Where lines for a person go. */
  public Console console() {
    return console;
  }

  /** The process's signals. */
  public Interrupts interrupts() {
    return interrupts;
  }

  /** The time, for display and token expiry. */
  public Clock clock() {
    return clock;
  }

  /** Reads and writes JSON. */
  public ObjectMapper json() {
    return connections.json();
  }

  /** What the platform and sandboxes are called over. */
  public Connections connections() {
    return connections;
  }

  /** The platform that the environment names. */
  public Api api() {
    Api known = api;
    if (known == null) {
      known = Api.of(connections.http(), json(), Endpoint.find(environment));
      api = known;
    }
    return known;
  }

  /**
   * The id of a sandbox that a person named.
   *
   * @param text an id, the beginning of one, or a name
   * @throws Failure if that is no sandbox, or several
   */
  public String sandbox(String text) throws InterruptedException {
    return new SandboxNames(api()).id(text);
  }

  /** One sandbox's dataplane, with tokens of that platform. */
  public Dataplane dataplane(String sandbox) {
    return new Dataplane(connections, new Grants(new Sandboxes(api()), sandbox), clock);
  }

  /** Ends what connections keep running. */
  @Override
  public void close() {
    connections.close();
  }
}
