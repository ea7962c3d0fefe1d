package dev.sandboxer.platform.event;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened. Events of one subject are numbered without a hole; positions number
 * those of the whole installation.
 *
 * @param id {@code evt_...}, the same in every delivery
 * @param tenantId owner
 * @param sandboxId {@code sb_...}, null for an event of the tenant itself
 * @param seq number within the subject, from 1
 * @param position number within the installation, from 1; null for a moment after the commit
 * @param type such as {@code sandbox.ready}
 * @param occurredAt instant, by the database's clock
 * @param consumer who asked
 * @param actorType {@code adm}, {@code agt} or {@code atm}, null where nobody asked
 * @param state state after it, null if it changes none
 * @param detail facts; never a secret
 */
public record Event(
    String id,
    String tenantId,
    @Nullable String sandboxId,
    long seq,
    @Nullable Long position,
    String type,
    Instant occurredAt,
    Map<String, Object> consumer,
    @Nullable String actorType,
    @Nullable String state,
    Map<String, Object> detail) {

  /** Keeps what it is given: the maps come fresh from the database's JSON. */
  public Event {}

  /**
   * What it is about.
   *
   * @return the sandbox's public id, else the tenant's id
   */
  public String subject() {
    return sandboxId == null ? tenantId : sandboxId;
  }
}
