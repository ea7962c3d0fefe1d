package dev.sandboxer.platform.session;

import dev.sandboxer.platform.token.Capability;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/** What was granted last to whom: a refresh gives no more. */
@ApplicationScoped
class GrantRecords {

  private static final String KEEP =
      """
      insert into session_grant (session_id, principal_id, subject, actor_type, capabilities)
      values (:session, :principal, :subject, :actor, :capabilities)
      on conflict (session_id, principal_id, subject) do update
        set capabilities = excluded.capabilities, actor_type = excluded.actor_type,
          granted_at = clock_timestamp()
        where session_grant.capabilities <> excluded.capabilities
      """;

  private static final String FIND =
      """
      select capabilities from session_grant
      where session_id = :session and principal_id = :principal
      order by subject = :subject desc, granted_at desc limit 1
      """;

  private final Jdbi jdbi;

  GrantRecords(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  void keep(String sessionId, OnBehalfOf onBehalfOf, Set<Capability> capabilities) {
    Optional<Set<Capability>> known = find(sessionId, onBehalfOf);
    if (known.filter(capabilities::equals).isPresent()) {
      return;
    }
    Actor actor = onBehalfOf.actor();
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(KEEP)
                .bind("session", sessionId)
                .bind("principal", onBehalfOf.principal().keyId())
                .bind("subject", onBehalfOf.subject())
                .bind("actor", actor == null ? null : actor.type().text())
                .bind("capabilities", names(capabilities))
                .execute());
  }

  Optional<Set<Capability>> find(String sessionId, OnBehalfOf onBehalfOf) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(FIND)
                .bind("session", sessionId)
                .bind("principal", onBehalfOf.principal().keyId())
                .bind("subject", onBehalfOf.subject())
                .mapTo(String[].class)
                .map(GrantRecords::capabilities)
                .findOne());
  }

  private static String[] names(Set<Capability> capabilities) {
    return capabilities.stream().sorted().map(Capability::wireName).toArray(String[]::new);
  }

  private static Set<Capability> capabilities(String[] names) {
    return Arrays.stream(names)
        .map(Capability::of)
        .flatMap(Optional::stream)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Capability.class)));
  }
}
