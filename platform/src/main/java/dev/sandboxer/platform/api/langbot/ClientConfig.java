package dev.sandboxer.platform.api.langbot;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What {@code box_init} says of a connection.
 *
 * @param rules of the profile that it names
 * @param admissionRequired whether a workspace without a grant may have nothing
 * @param sharedFolder where client and platform both see the workspaces, empty if nobody said
 * @param notApplied parts of the configuration that this platform decides by itself
 */
record ClientConfig(
    ProfileRules rules,
    boolean admissionRequired,
    Optional<String> sharedFolder,
    List<String> notApplied) {

  /** Before anything was said. */
  static final ClientConfig DEFAULT =
      new ClientConfig(ProfileRules.of("default"), false, Optional.empty(), List.of());

  private static final List<String> OWN =
      List.of("runtime", "limits", "e2b", "allowed_mount_roots", "session_ttl_sec");

  /** Once grants are required on a connection they stay so. */
  static ClientConfig read(JsonObject config, ClientConfig before) {
    Fields fields = new Fields(config);
    Fields local = fields.object("local");
    if (fields.optionalText("backend").filter("host"::equals).isPresent()) {
      throw BoxError.invalid("backend 'host' runs commands without a sandbox, which is refused");
    }
    String profile =
        local.optionalText("profile").or(() -> fields.optionalText("profile")).orElse("").strip();
    boolean required = fields.object("admission").yes("required", false);
    List<String> notApplied = new ArrayList<>(OWN.stream().filter(fields::has).toList());
    return new ClientConfig(
        ProfileRules.of(profile.isEmpty() ? "default" : profile),
        required || before.admissionRequired(),
        folder(local),
        List.copyOf(notApplied));
  }

  private static Optional<String> folder(Fields local) {
    Optional<String> root = local.optionalText("host_root").filter(path -> !path.isBlank());
    Optional<String> workspace =
        local.optionalText("default_workspace").filter(path -> !path.isBlank());
    if (workspace.isPresent() && workspace.get().startsWith("/")) {
      return workspace;
    }
    return root.map(path -> path + "/" + workspace.orElse("default"));
  }
}
