package dev.sandboxer.platform.sandbox;

import dev.sandboxer.platform.id.SandboxId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/**
 * A conditional change of sandboxes: it happens only to rows that still meet its conditions. Built
 * step by step, then given to {@link Sandboxes}. A change of state and a note concern one row and
 * publish an event; a quiet change publishes nothing.
 */
public final class Change {

  private final @Nullable SandboxState to;
  private final @Nullable String type;
  private @Nullable String with;
  private final List<String> sets = new ArrayList<>();
  private final List<String> conditions = new ArrayList<>();
  private final Map<String, @Nullable Object> values = new LinkedHashMap<>();
  private final Map<String, Object> detail = new LinkedHashMap<>();

  private Change(@Nullable SandboxState to, @Nullable String type) {
    this.to = to;
    this.type = type;
  }

  /**
   * A change of state, allowed from every state that the transition table names.
   *
   * @param id which sandbox
   * @param to new state
   * @return the change
   */
  public static Change to(SandboxId id, SandboxState to) {
    return new Change(to, "sandbox." + to.text()).id(id);
  }

  /**
   * A notable fact that changes no state.
   *
   * @param id which sandbox
   * @param type event type
   * @return the change
   */
  public static Change note(SandboxId id, String type) {
    return new Change(null, type).id(id);
  }

  /**
   * A change of one row that nobody is notified of, such as a claim or a deadline.
   *
   * @param id which sandbox
   * @return the change
   */
  public static Change quiet(SandboxId id) {
    return quiet().id(id);
  }

  /**
   * A quiet change of every row that meets the conditions.
   *
   * @return the change
   */
  public static Change quiet() {
    return new Change(null, null);
  }

  private Change id(SandboxId id) {
    return when("id = :id", "id", id);
  }

  /** Only while the worker still holds its claim. */
  public Change claimed(long token) {
    conditions.add("claim_token = :token");
    values.put("token", token);
    return this;
  }

  /** Only in this incarnation. */
  public Change generation(int generation) {
    conditions.add("generation = :wanted_generation");
    values.put("wanted_generation", generation);
    return this;
  }

  /** Only from these states, fewer than the transition table allows. */
  public Change from(SandboxState... states) {
    conditions.add("state = any(:from_states)");
    values.put("from_states", texts(states));
    return this;
  }

  /** Only under a condition in SQL, without parameters. */
  public Change when(String condition) {
    conditions.add(condition);
    return this;
  }

  /** Only under a condition in SQL with one parameter. */
  public Change when(String condition, String parameter, Object value) {
    conditions.add(condition);
    values.put(parameter, value);
    return this;
  }

  /** Writes a column. The name is a constant of the code, never input. */
  public Change set(String column, @Nullable Object value) {
    sets.add(column + " = :" + column);
    values.put(column, value);
    return this;
  }

  /** Writes a column from an SQL expression with one parameter. */
  public Change setSql(String column, String expression, String parameter, @Nullable Object value) {
    values.put(parameter, value);
    return setSql(column, expression);
  }

  /** Writes a column from an SQL expression, a constant of the code. */
  public Change setSql(String column, String expression) {
    sets.add(column + " = " + expression);
    return this;
  }

  /** Writes a JSON column. */
  public Change setJson(String column, String json) {
    sets.add(column + " = cast(:" + column + " as jsonb)");
    values.put(column, json);
    return this;
  }

  /**
   * Changes another table in the same statement, after the row and whether or not that meets the
   * conditions.
   */
  public Change with(String statement) {
    with = statement;
    return this;
  }

  /** A value of the other statement. */
  public Change value(String parameter, @Nullable Object value) {
    values.put(parameter, value);
    return this;
  }

  /** Gives the claim back in the same statement. */
  public Change release() {
    return setSql("claim_owner", "null").setSql("claim_until", "null");
  }

  /** Adds a fact to the event. */
  public Change detail(String name, Object value) {
    detail.put(name, value);
    return this;
  }

  @Nullable String type() {
    return type;
  }

  Map<String, Object> detail() {
    return detail;
  }

  Map<String, @Nullable Object> values() {
    return values;
  }

  /**
   * Makes a quiet change of rows that nobody wants to see.
   *
   * @param transaction open
   * @return how many rows were changed
   * @throws IllegalStateException if the change is not quiet
   */
  public int run(Handle transaction) {
    if (type != null) {
      throw new IllegalStateException("a change with an event is made by Sandboxes");
    }
    Update update = transaction.createUpdate(sql(_ -> new String[0]));
    values.forEach(update::bind);
    return update.execute();
  }

  /**
   * The statement, with names for {@link #values}.
   *
   * @param into from which states one may come into a state
   */
  String sql(Function<SandboxState, String[]> into) {
    List<String> all = new ArrayList<>(sets);
    if (type != null) {
      all.add("event_seq = event_seq + 1");
    }
    List<String> where = new ArrayList<>(conditions);
    SandboxState target = to;
    if (target != null) {
      all.add("state = :to_state");
      where.add("state = any(:legal_from)");
      values.put("to_state", target.text());
      values.put("legal_from", into.apply(target));
    }
    String update =
        "update sandbox set " + String.join(", ", all) + " where " + String.join(" and ", where);
    return with == null ? update : "with other as (" + with + ") " + update;
  }

  private static String[] texts(SandboxState... states) {
    String[] texts = new String[states.length];
    for (int i = 0; i < states.length; i++) {
      texts[i] = states[i].text();
    }
    return texts;
  }
}
