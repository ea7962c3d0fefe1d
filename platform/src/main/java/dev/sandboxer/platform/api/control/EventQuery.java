package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.api.PageLimit;
import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.EventBody;
import dev.sandboxer.platform.event.EventFilter;
import dev.sandboxer.platform.event.EventType;
import dev.sandboxer.platform.event.Gap;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.ws.rs.core.MultivaluedMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The query of the event routes.
 *
 * @param filter which events
 * @param cursor where to go on, null for the beginning
 * @param limit at most so many
 */
record EventQuery(EventFilter filter, @Nullable Long cursor, int limit) {

  private static final String TYPE = "[a-z]+(\\.[a-z_]+)*(\\.\\*)?";

  static EventQuery of(String tenantId, MultivaluedMap<String, String> query, String... known) {
    Set<String> unknown = new TreeSet<>(query.keySet());
    unknown.removeAll(List.of(known));
    if (!unknown.isEmpty()) {
      throw invalid(
          "unknown parameters %s; known are %s".formatted(unknown, new TreeSet<>(List.of(known))));
    }
    return new EventQuery(
        new EventFilter(tenantId, sandbox(query.getFirst("sandbox_id")), types(query.get("type"))),
        cursor(query.getFirst("cursor")),
        PageLimit.of(query.getFirst("limit")));
  }

  /** After which number to begin. */
  long after() {
    return cursor == null ? 0 : cursor;
  }

  /**
   * Makes a page.
   *
   * @param found one more than the limit, if there is more
   * @param gap what is missing before them, null if nothing
   * @param number what a cursor counts
   */
  EventPage page(List<Event> found, @Nullable Gap gap, ToLongFunction<Event> number) {
    List<Event> shown = found.subList(0, Math.min(limit, found.size()));
    String next = found.size() > limit ? Long.toString(number.applyAsLong(shown.getLast())) : null;
    return new EventPage(shown.stream().map(EventBody::of).toList(), next, gap);
  }

  private static @Nullable String sandbox(@Nullable String id) {
    if (id != null && SandboxId.parse(id).isEmpty()) {
      throw invalid("sandbox_id '%s' is none, such as sb_k3v9a0q7x2m5n8b1c4d6".formatted(id));
    }
    return id;
  }

  private static Set<String> types(@Nullable List<String> given) {
    Set<String> types = new LinkedHashSet<>();
    for (String list : given == null ? List.<String>of() : given) {
      for (String type : list.split(",", -1)) {
        if (!type.matches(TYPE)) {
          throw invalid("type '%s' must be such as sandbox.ready or sandbox.*".formatted(type));
        }
        EventType.unknown(type)
            .ifPresent(
                told -> {
                  throw invalid(told);
                });
        types.add(type);
      }
    }
    return types;
  }

  static @Nullable Long cursor(@Nullable String text) {
    if (text == null) {
      return null;
    }
    if (!text.matches("[0-9]{1,18}")) {
      throw invalid("cursor '%s' was not issued by this list".formatted(text));
    }
    return Long.valueOf(text);
  }

  private static ProblemException invalid(String detail) {
    return new ProblemException(ErrorCode.VALIDATION, detail);
  }
}
