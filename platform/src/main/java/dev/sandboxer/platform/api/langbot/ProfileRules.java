package dev.sandboxer.platform.api.langbot;

import java.util.Map;

/**
 * What holds for the commands and boxes of one of the client's profiles in addition to what the
 * profile of that name says here.
 *
 * @param name as the client knows it
 * @param mostSeconds of a command; a longer timeout is cut to it
 * @param readOnlyMounts whether folders of the host may not be written
 */
record ProfileRules(String name, long mostSeconds, boolean readOnlyMounts) {

  private static final long USUAL = 120;

  private static final Map<String, ProfileRules> PUBLISHED =
      Map.of(
          "default", new ProfileRules("default", USUAL, false),
          "offline", new ProfileRules("offline", USUAL, false),
          "offline_readonly", new ProfileRules("offline_readonly", 60, true),
          "network_basic", new ProfileRules("network_basic", USUAL, false),
          "network_extended", new ProfileRules("network_extended", 300, false));

  /** Those of a profile; one that the client does not publish is the operator's own. */
  static ProfileRules of(String name) {
    return PUBLISHED.getOrDefault(name, new ProfileRules(name, 300, false));
  }

  /** The profile's name here, where an underscore cannot stand. */
  String profile() {
    return name.replace('_', '-');
  }
}
