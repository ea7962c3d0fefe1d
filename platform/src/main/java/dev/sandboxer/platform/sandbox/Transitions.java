package dev.sandboxer.platform.sandbox;

import io.quarkus.runtime.Startup;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/**
 * The legal transitions, read from the table that the trigger enforces as well. All at the start: a
 * transaction that had to wait for a second connection here could wait for ever.
 */
@Startup
@ApplicationScoped
class Transitions {

  private final Map<SandboxState, String[]> into = new EnumMap<>(SandboxState.class);

  @Inject
  Transitions(Jdbi jdbi) {
    for (SandboxState state : SandboxState.values()) {
      into.put(state, read(jdbi, state));
    }
  }

  /** From which states one may come into this one. */
  String[] into(SandboxState to) {
    return into.getOrDefault(to, new String[0]);
  }

  private static String[] read(Jdbi jdbi, SandboxState to) {
    List<String> from =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery("select from_state from state_transition where to_state = :to")
                    .bind("to", to.text())
                    .mapTo(String.class)
                    .list());
    return from.toArray(String[]::new);
  }
}
