package dev.sandboxer.cli.port;

import dev.sandboxer.cli.Failure;

/**
 * A port of this machine and the port inside to which it leads.
 *
 * @param local 0 for one that is free
 */
record Forwarding(int local, int remote) {
  private static final int LAST = 65_535;

  /** From {@code 8080:80}, {@code :80} for a free one, or {@code 80} for the same. */
  static Forwarding of(String text) {
    int colon = text.indexOf(':');
    String local = colon < 0 ? text : text.substring(0, colon);
    String remote = text.substring(colon + 1);
    if (!(local.isEmpty() ? "0" : local).matches("[0-9]{1,5}") || !remote.matches("[0-9]{1,5}")) {
      throw wrong(text);
    }
    Forwarding read =
        new Forwarding(local.isEmpty() ? 0 : Integer.parseInt(local), Integer.parseInt(remote));
    if (read.local > LAST || read.remote > LAST || read.remote == 0) {
      throw wrong(text);
    }
    return read;
  }

  private static Failure wrong(String text) {
    return Failure.usage(
        "\""
            + text
            + "\" is no LOCAL:REMOTE, such as 8080:80, or 0:80 for a free port of this machine");
  }
}
