package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.profile.Profile;
import dev.sandboxer.spi.NetworkMode;

/** The client's network, which is {@code on} or {@code off}, in the words of profiles. */
final class SessionNetwork {

  /** The input by which a profile leaves it to the caller. */
  static final String INPUT = "network";

  private static final String PUBLIC = "public";
  private static final String NONE = "none";

  private SessionNetwork() {}

  static String word(boolean on) {
    return on ? "on" : "off";
  }

  /** The value of the input. */
  static String input(boolean on) {
    return on ? PUBLIC : NONE;
  }

  /** A value of the input in the client's words. */
  static String shown(String input) {
    return switch (input) {
      case PUBLIC -> word(true);
      case NONE -> word(false);
      default -> input;
    };
  }

  /** Whether a box that was made with a value of the input has a network. */
  static boolean isOn(String input) {
    return !input.equals(NONE);
  }

  /** Whether a box has a network where no input decides. */
  static boolean has(Profile profile) {
    return profile.network().mode() != NetworkMode.NONE;
  }
}
