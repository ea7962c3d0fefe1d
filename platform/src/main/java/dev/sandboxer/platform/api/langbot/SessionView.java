package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.box.Box;
import dev.sandboxer.platform.profile.Profile;
import dev.sandboxer.platform.profile.ProfileRecipe;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.spi.Resources;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The client's {@code BoxSessionInfo}: what a session's box has, whatever was asked for. */
@ApplicationScoped
class SessionView {

  private static final long MIB = 1L << 20;

  private final ProfileStore profiles;

  SessionView(ProfileStore profiles) {
    this.profiles = profiles;
  }

  /** As the client shows it. */
  JsonObject of(Placement placement, Box box) {
    Map<String, String> labels = box.spec().labels();
    Map<String, String> inputs = box.spec().inputs();
    Optional<Profile> profile =
        profiles
            .recipe(box.sandbox().profileId() + "@" + box.sandbox().profileVersion())
            .map(ProfileRecipe::profile);
    Optional<Resources> own = profile.map(Profile::resources);
    boolean network =
        Optional.ofNullable(inputs.get(SessionNetwork.INPUT))
            .map(SessionNetwork::isOn)
            .or(() -> profile.map(SessionNetwork::has))
            .orElse(false);
    return new JsonObject()
        .put("session_id", placement.sessionOf(box))
        .put("backend_name", backend(box))
        .put("backend_session_id", box.sandbox().id().publicId())
        .put("image", labels.getOrDefault(SessionLabels.IMAGE, SessionSpec.DEFAULT_IMAGE))
        .put("network", SessionNetwork.word(network))
        .put("host_path", labels.get(SessionLabels.HOST_PATH))
        .put("host_path_mode", labels.getOrDefault(SessionLabels.HOST_PATH_MODE, "rw"))
        .put("mount_path", labels.getOrDefault(SessionLabels.MOUNT_PATH, "/workspace"))
        .put("persistent", box.spec().persistent())
        .put("cpus", number(inputs.get("cpus"), own.map(r -> r.cpus().doubleValue()).orElse(1.0)))
        .put(
            "memory_mb",
            whole(inputs.get("memory_mb"), own.map(r -> r.memoryBytes() / MIB).orElse(0L)))
        .put(
            "pids_limit", whole(inputs.get("pids_limit"), own.map(r -> (long) r.pids()).orElse(0L)))
        .put("read_only_rootfs", true)
        .put("workspace_quota_mb", whole(inputs.get("workspace_quota_mb"), 0L))
        .put("created_at", box.createdAt().toString())
        .put("last_used_at", box.usedAt().toString())
        .put("status", box.sandbox().state().reachable() ? "idle" : "starting")
        .put("state", box.sandbox().state().text());
  }

  /** The backend as the client names it. */
  static String backend(Box box) {
    return name(box.sandbox().extensionId());
  }

  static String name(String extensionId) {
    return extensionId.startsWith("ext.") ? extensionId.substring("ext.".length()) : extensionId;
  }

  private static double number(@Nullable String input, double byDefault) {
    return input == null ? byDefault : Double.parseDouble(input);
  }

  private static long whole(@Nullable String input, long byDefault) {
    return input == null ? byDefault : Long.parseLong(input);
  }
}
