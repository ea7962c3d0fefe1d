package dev.sandboxer.platform.api.langbot;

import java.util.Map;
import java.util.TreeMap;

/** What of a session only this door knows; kept as labels of its box, and so compared with it. */
final class SessionLabels {

  static final String PREFIX = "langbot.";
  static final String NETWORK = PREFIX + "network";
  static final String IMAGE = PREFIX + "image";
  static final String HOST_PATH = PREFIX + "host_path";
  static final String HOST_PATH_MODE = PREFIX + "host_path_mode";
  static final String MOUNT_PATH = PREFIX + "mount_path";

  private static final int MOST = 256;

  private SessionLabels() {}

  static Map<String, String> of(SessionSpec spec) {
    Map<String, String> labels = new TreeMap<>();
    labels.put(NETWORK, SessionNetwork.word(spec.network()));
    labels.put(IMAGE, spec.image());
    labels.put(HOST_PATH_MODE, spec.hostPathMode());
    labels.put(MOUNT_PATH, spec.mountPath());
    spec.hostPath().ifPresent(path -> labels.put(HOST_PATH, path));
    labels.forEach(
        (name, value) -> {
          if (value.length() > MOST) {
            throw BoxError.invalid(
                "field '%s' has more than %d characters"
                    .formatted(name.substring(PREFIX.length()), MOST));
          }
        });
    return labels;
  }
}
