package dev.sandboxer.spi.sink;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An event on its way.
 *
 * @param id {@code evt_...}, the same in every delivery
 * @param subject what it is about: a sandbox's or a tenant's id
 * @param seq number within the subject, without a hole, from 1
 * @param position number within the installation
 * @param type such as {@code sandbox.ready}
 * @param occurredAt instant
 * @param tenant owner
 * @param consumer who asked
 * @param state state after it, null if it changes none
 * @param detail facts; maps, lists, texts, numbers and booleans
 * @param json the whole event, as the API shows it
 */
public record EventMessage(
    String id,
    String subject,
    long seq,
    long position,
    String type,
    Instant occurredAt,
    String tenant,
    Map<String, Object> consumer,
    @Nullable String state,
    Map<String, Object> detail,
    String json) {}
