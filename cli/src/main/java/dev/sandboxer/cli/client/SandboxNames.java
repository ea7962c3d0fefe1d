package dev.sandboxer.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Failure;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a person calls a sandbox: its id, the beginning of one, or the name that it was given. A
 * name is the label {@link #LABEL}, so that programs can ask for it too.
 */
public final class SandboxNames {
  /** The key of the label that holds a name. */
  public static final String LABEL = "name";

  private static final String ID = "sb_[a-z0-9]{20}";
  private static final String PART = "(sb_)?[a-z0-9]{1,20}";
  private static final String NAME = "[a-z0-9][a-z0-9-]{0,62}";

  private final Api api;

  public SandboxNames(Api api) {
    this.api = api;
  }

  /**
   * Finds the id. Asks the platform unless {@code text} is a whole id.
   *
   * @param text an id, without {@code sb_} too, the beginning of one, or a name; ids of sandboxes
   *     that are destroyed must be whole
   * @throws Failure if nothing is called so, or several are
   */
  public String id(String text) throws InterruptedException {
    if (text.matches(ID)) {
      return text;
    }
    if (("sb_" + text).matches(ID)) {
      return "sb_" + text;
    }
    if (!text.matches(PART) && !text.matches(NAME)) {
      throw Failure.usage(
          "\""
              + text
              + "\" is no sandbox: give an id such as sb_k3q..., the beginning of one, or a name; see"
              + " sandboxer ls");
    }
    List<String> found = text.matches(NAME) ? named(text) : List.of();
    return only(found.isEmpty() ? beginning(text) : found, text);
  }

  /** The live sandboxes of that name. */
  public List<String> named(String name) throws InterruptedException {
    return ids(api.get("/v1/sandboxes?live=true&label=" + LABEL + ":" + name).path("items"));
  }

  /**
   * Checks a name for a new sandbox.
   *
   * @return the same
   * @throws Failure if it has another form, or a live sandbox has it
   */
  public String free(String name) throws InterruptedException {
    if (!name.matches(NAME)) {
      throw Failure.usage(
          "--name \"" + name + "\" must be 1 to 63 of a-z, 0-9 and -, not beginning with -");
    }
    List<String> taken = named(name);
    if (!taken.isEmpty()) {
      throw Failure.usage(
          "--name "
              + name
              + ": "
              + taken.getFirst()
              + " has that name; destroy it first (sandboxer rm "
              + name
              + "), or take another name");
    }
    return name;
  }

  private List<String> beginning(String text) throws InterruptedException {
    String start = text.startsWith("sb_") ? text : "sb_" + text;
    return new Sandboxes(api)
        .list(false, false).stream().map(Sandboxes::id).filter(id -> id.startsWith(start)).toList();
  }

  private static List<String> ids(JsonNode items) {
    return items.valueStream().map(Sandboxes::id).toList();
  }

  private static String only(List<String> found, String text) {
    if (found.size() == 1) {
      return found.getFirst();
    }
    throw Failure.usage(
        found.isEmpty()
            ? "no sandbox that is there is called \"" + text + "\"; see sandboxer ls"
            : "\""
                + text
                + "\" is "
                + found.size()
                + " sandboxes: "
                + found.stream().limit(5).collect(Collectors.joining(", "))
                + "; give more of the id");
  }
}
