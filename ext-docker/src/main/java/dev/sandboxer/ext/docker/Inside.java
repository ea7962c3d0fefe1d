package dev.sandboxer.ext.docker;

/** Paths in a container. */
final class Inside {

  static final String FOLDER = "/.sandboxer";
  static final String BOXD = FOLDER + "/boxd";
  static final String CONFIG = FOLDER + "/boxd.json";
  static final String SHARED = FOLDER + "/run";
  static final String SOCKET = SHARED + "/s";
  static final String WORKSPACE = "/workspace";
  static final String TMP = "/tmp";

  private Inside() {}
}
