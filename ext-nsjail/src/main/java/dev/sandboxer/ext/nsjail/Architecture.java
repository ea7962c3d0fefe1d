package dev.sandboxer.ext.nsjail;

/** Names of machine architectures, as boxd's binaries carry them. */
final class Architecture {
  private Architecture() {}

  static String ofHost() {
    String name = System.getProperty("os.arch", "");
    return switch (name) {
      case "x86_64" -> "amd64";
      case "aarch64" -> "arm64";
      default -> name;
    };
  }
}
