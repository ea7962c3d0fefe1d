package dev.sandboxer.ext.docker;

/** Paths in a container. */
final class Inside {

  static final String FOLDER = "/.sandboxer";
  static final String BOXD = FOLDER + "/boxd";
  static final String CONFIG = FOLDER + "/boxd.json";
  static final String SHARED = FOLDER + "/run";
  static final String SOCKET = SHARED + "/s";

  /** Without a file: code inside cannot put another one in its place. */
  static final String NAMED_SOCKET = "unix:@boxd";

  static final String HOSTS = "/etc/hosts";
  static final String WORKSPACE = "/workspace";
  static final String TMP = "/tmp";
  static final String SHM = "/dev/shm";
  static final String HOSTNAME = "sandbox";

  /** What {@link #HOSTS} says; localhost is IPv4 alone, where most programs look first. */
  static final String NAMES =
      "127.0.0.1\tlocalhost\n127.0.1.1\t" + HOSTNAME + "\n::1\tip6-localhost ip6-loopback\n";

  private Inside() {}
}
