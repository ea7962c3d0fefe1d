package dev.sandboxer.platform.profile;

import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;

/** Checks the options of a profile, which the language itself does not know. */
@FunctionalInterface
interface OptionsCheck {

  /** For texts that were checked when they were stored: another release may check otherwise. */
  OptionsCheck NONE = (profile, top, problems) -> {};

  /**
   * Checks.
   *
   * @param profile as it was read
   * @param top its document, with the inputs that are known
   * @param problems gets every mistake
   */
  void check(Profile profile, YamlMap top, YamlProblems problems);
}
