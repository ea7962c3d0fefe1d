package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.profile.ProfileEntry.ProfileError;
import java.util.List;

/**
 * What a check of a profile's text found.
 *
 * @param problems what is wrong, in order of lines; empty if it could be imported and the loaded
 *     backends can do what it says
 * @param notes what could not be checked here
 */
public record ProfileLint(List<ProfileError> problems, List<ProfileError> notes) {

  /** Keeps immutable copies. */
  public ProfileLint {
    problems = List.copyOf(problems);
    notes = List.copyOf(notes);
  }
}
