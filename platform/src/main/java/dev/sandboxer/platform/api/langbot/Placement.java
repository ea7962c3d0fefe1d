package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.admission.Workspace;
import dev.sandboxer.platform.box.Box;
import dev.sandboxer.platform.box.BoxScope;
import dev.sandboxer.platform.box.TemplateException;
import dev.sandboxer.platform.id.Sha256;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A workspace as one placement of it calls. Its boxes are its own whatever the session ids are: the
 * parts of a scope's name are separated by a character that none of them contains.
 *
 * @param workspace whose boxes
 * @param generation of the placement, from 1
 */
record Placement(Workspace workspace, long generation) {

  private static final String ROOT = "langbot/";
  private static final int NAMESPACE_DIGITS = 24;

  /** What the names of all scopes of an instance begin with. */
  static String prefixOf(String instance) {
    return "=" + ROOT + escaped(instance) + "/";
  }

  /** What the names of this workspace's scopes begin with. */
  String prefix() {
    return prefixOf(workspace.instance()) + escaped(workspace.id()) + "/";
  }

  /** The scope of a session. */
  BoxScope scope(String sessionId) {
    try {
      return BoxScope.literal(prefix().substring(1) + escaped(sessionId));
    } catch (TemplateException e) {
      throw BoxError.invalid(
          "session_id cannot be used, together with instance and workspace: " + e.getMessage());
    }
  }

  /** The session of a box of this workspace. */
  String sessionOf(Box box) {
    return unescaped(box.scope().name().substring(prefix().length()));
  }

  /**
   * Whether an id in the path of a managed process's WebSocket may mean a session of this
   * placement. The client makes such an id from the logical one in a form that several may share.
   */
  boolean mayMean(String physical, String sessionId) {
    return physical.equals(namespace() + safe(sessionId)) || physical.equals(sessionId);
  }

  private String namespace() {
    byte[] hash = Sha256.of(workspace.instance() + "\0" + workspace.id());
    String digits = HexFormat.of().formatHex(hash).substring(0, NAMESPACE_DIGITS);
    return "ws-%s-g%d-".formatted(digits, generation);
  }

  /** As the client makes it; empty for an id that it cannot name so. */
  private static String safe(String sessionId) {
    return sessionId.replaceAll("[^A-Za-z0-9_.-]+", "-").replaceAll("^-+|-+$", "");
  }

  /** Whether the session's own form is the one in the path, so that no other one has it as well. */
  Optional<String> exact(String physical) {
    return physical.startsWith(namespace())
        ? Optional.of(physical.substring(namespace().length()))
        : Optional.empty();
  }

  private static String escaped(String part) {
    return part.replace("%", "%25").replace("/", "%2F");
  }

  private static String unescaped(String part) {
    return part.replace("%2F", "/").replace("%25", "%");
  }
}
