package dev.sandboxer.ssh;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where an SSH server is, as operators write it: {@code ssh://[user@]host[:port]}.
 *
 * @param user empty if the address has none
 * @param host name or IP address; IPv6 without brackets
 * @param port 1 to 65535
 */
public record SshAddress(Optional<String> user, String host, int port) {

  private static final int DEFAULT_PORT = 22;
  private static final int LAST_PORT = 65_535;
  private static final Pattern USER = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0,31}\\$?");
  private static final Pattern HOST =
      Pattern.compile(
          "[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");
  private static final Pattern ADDRESS =
      Pattern.compile(
          "ssh://(?:([^@/]*)@)?(?:\\[([^\\]/]*:[^\\]/]*)\\]|([^:@/\\[\\]]*))(?::([0-9]{1,5}))?/?");

  /** Checks the parts. */
  public SshAddress {
    if (!HOST.matcher(host).matches() || user.filter(name -> !userName(name)).isPresent()) {
      throw new IllegalArgumentException("'" + host + "' is not a host, or the user not a name");
    }
    if (port < 1 || port > LAST_PORT) {
      throw new IllegalArgumentException("port " + port + " is not within 1 and " + LAST_PORT);
    }
  }

  /**
   * Reads an address.
   *
   * @param text what the operator wrote
   * @return its parts
   * @throws SshException INVALID for anything else, with the form in the message
   */
  public static SshAddress parse(String text) throws SshException {
    Matcher parts = ADDRESS.matcher(text);
    if (!parts.matches()) {
      throw wrong(text, "");
    }
    if (parts.group(1) != null && parts.group(1).indexOf(':') >= 0) {
      // Not repeated: what follows the colon is a secret.
      throw new SshException(
          SshException.Kind.INVALID,
          "an SSH address must not have a password: passwords are not used, only keys");
    }
    try {
      String port = parts.group(4);
      return new SshAddress(
          Optional.ofNullable(parts.group(1)),
          parts.group(2) != null ? parts.group(2) : parts.group(3),
          port == null ? DEFAULT_PORT : Integer.parseInt(port));
    } catch (IllegalArgumentException e) {
      throw wrong(text, ": " + e.getMessage());
    }
  }

  private static SshException wrong(String text, String why) {
    return new SshException(
        SshException.Kind.INVALID,
        "'%s' is not an SSH address%s; it must be ssh://[user@]host[:port]"
            .formatted(text.replaceAll("\\p{Cntrl}", "?"), why));
  }

  static boolean userName(String name) {
    return USER.matcher(name).matches();
  }
}
