package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.client.Sandboxes;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds one sandbox from its create on and destroys it when closed, also after a failure or an
 * interrupt.
 */
final class SandboxLease implements AutoCloseable {
  private static final Duration CREATE = Duration.ofMinutes(5);
  private static final Duration DESTROY = Duration.ofSeconds(60);

  private final Sandboxes sandboxes;
  private final RunReport report;
  private @Nullable String id;

  SandboxLease(Sandboxes sandboxes, RunReport report) {
    this.sandboxes = sandboxes;
    this.report = report;
  }

  /** Creates it; {@code tell} is given a line about what is waited for. */
  JsonNode create(JsonNode body, Consumer<String> tell) throws InterruptedException {
    return sandboxes.create(body, CREATE, made -> id = made, tell);
  }

  String id() {
    if (id == null) {
      throw new IllegalStateException("nothing was created");
    }
    return id;
  }

  /**
   * Destroys; a failure is told in the report's line, because the command's own end matters more.
   */
  @Override
  public void close() {
    String made = id;
    if (made == null) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      sandboxes.destroy(made, DESTROY);
      report.destroyed();
    } catch (Failure e) {
      report.notDestroyed(made, e.text());
    } catch (InterruptedException e) {
      report.notDestroyed(made, "interrupted");
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
