package dev.sandboxer.platform.sandbox;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Jdbi;

/** The legal transitions, read from the table that the trigger enforces as well. */
@ApplicationScoped
class Transitions {

  private final Jdbi jdbi;
  private final Map<SandboxState, String[]> into = new ConcurrentHashMap<>();

  Transitions(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** From which states one may come into this one. */
  String[] into(SandboxState to) {
    return into.computeIfAbsent(to, this::read);
  }

  private String[] read(SandboxState to) {
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
