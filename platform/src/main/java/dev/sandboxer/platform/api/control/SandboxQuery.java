package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.api.PageCursor;
import dev.sandboxer.platform.api.PageLimit;
import dev.sandboxer.platform.id.RowPosition;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxFilter;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.MultivaluedMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The query of {@code GET /v1/sandboxes}. */
@ApplicationScoped
class SandboxQuery {

  /** Parameter to column. */
  private static final Map<String, String> EQUAL =
      Map.of(
          "state", "state",
          "profile", "profile_id",
          "extension", "extension_id",
          "project", "project",
          "actor", "actor",
          "session_id", "session_id",
          "run_id", "run_id");

  private static final Set<String> OTHERS = Set.of("limit", "cursor", "label", "live", "tenant");

  private final Sandboxes sandboxes;
  private final OwnSandboxes own;
  private final OtherTenants others;
  private final SandboxViews views;

  SandboxQuery(Sandboxes sandboxes, OwnSandboxes own, OtherTenants others, SandboxViews views) {
    this.sandboxes = sandboxes;
    this.own = own;
    this.others = others;
    this.views = views;
  }

  /** A key that is narrowed to scopes may get fewer than the limit, and a cursor to go on from. */
  Page<SandboxView> page(Principal principal, MultivaluedMap<String, String> parameters) {
    checkNames(parameters);
    parameters.forEach(SandboxQuery::checkValues);
    int limit = PageLimit.of(parameters.getFirst("limit"));
    SandboxFilter filter =
        new SandboxFilter(
            others.listed(parameters.getFirst("tenant")),
            equal(parameters),
            labels(parameters),
            live(parameters.getFirst("live")),
            PageCursor.read(parameters.getFirst("cursor")),
            limit + 1);
    List<Sandbox> found = sandboxes.list(filter);
    List<Sandbox> shown = found.subList(0, Math.min(limit, found.size()));
    String next = found.size() > limit ? PageCursor.text(position(shown.getLast())) : null;
    return new Page<>(own.known(principal, shown).stream().map(views::of).toList(), next);
  }

  private static RowPosition position(Sandbox last) {
    return new RowPosition(last.createdAt(), last.id().raw());
  }

  private static void checkNames(MultivaluedMap<String, String> parameters) {
    Set<String> unknown = new TreeSet<>(parameters.keySet());
    unknown.removeAll(EQUAL.keySet());
    unknown.removeAll(OTHERS);
    if (!unknown.isEmpty()) {
      Set<String> known = new TreeSet<>(EQUAL.keySet());
      known.addAll(OTHERS);
      throw invalid("unknown parameters %s; known are %s".formatted(unknown, known));
    }
  }

  /** The database keeps no NUL, and would fail at one. */
  private static void checkValues(String name, List<String> values) {
    if (values.stream().anyMatch(value -> value.indexOf('\0') >= 0)) {
      throw invalid("parameter '%s' has a NUL character".formatted(name));
    }
  }

  private static Map<String, String> equal(MultivaluedMap<String, String> parameters) {
    Map<String, String> wanted = new LinkedHashMap<>();
    EQUAL.forEach(
        (name, column) -> {
          String value = parameters.getFirst(name);
          if (value != null) {
            wanted.put(column, normal(name, value));
          }
        });
    return wanted;
  }

  private static String normal(String name, String value) {
    return switch (name) {
      case "state" -> state(value);
      case "actor" -> actor(value);
      case "profile" -> value.startsWith("profile.") ? value : "profile." + value;
      case "extension" -> value.startsWith("ext.") ? value : "ext." + value;
      default -> value;
    };
  }

  private static String state(String value) {
    try {
      return SandboxState.of(value).text();
    } catch (IllegalArgumentException e) {
      List<String> all = new ArrayList<>();
      for (SandboxState state : SandboxState.values()) {
        all.add(state.text());
      }
      throw invalid("'%s' is no state; states are %s".formatted(value, all));
    }
  }

  private static String actor(String value) {
    if (!ConsumerView.ACTOR.matcher(value).matches()) {
      throw invalid(
          "actor '%s' must be adm (a person), agt (an agent) or atm (an automation)"
              .formatted(value));
    }
    return value;
  }

  private static Map<String, String> labels(MultivaluedMap<String, String> parameters) {
    Map<String, String> labels = new LinkedHashMap<>();
    for (String label : parameters.getOrDefault("label", List.of())) {
      int colon = label.indexOf(':');
      if (colon < 1) {
        throw invalid("label '%s' must be k:v".formatted(label));
      }
      labels.put(label.substring(0, colon), label.substring(colon + 1));
    }
    return labels;
  }

  private static boolean live(@Nullable String text) {
    if (text == null || text.equals("false")) {
      return false;
    }
    if (text.equals("true")) {
      return true;
    }
    throw invalid("live '%s' must be true or false".formatted(text));
  }

  private static ProblemException invalid(String detail) {
    return new ProblemException(ErrorCode.VALIDATION, detail);
  }
}
