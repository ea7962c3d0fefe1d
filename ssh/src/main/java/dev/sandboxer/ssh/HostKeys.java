package dev.sandboxer.ssh;

import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;

/** The host keys by which we know a server. There is no trust on first use. */
public sealed interface HostKeys {

  /**
   * A file in OpenSSH's format, also with hashed names. It is read for each new connection.
   *
   * @param file the known_hosts file
   */
  record KnownHosts(Path file) implements HostKeys {}

  /**
   * Fingerprints, as {@code ssh-keygen -l} prints them.
   *
   * @param fingerprints each {@code SHA256:} and 43 characters; with none, every server is refused,
   *     and the failure says which key it shows
   */
  record Fingerprints(Set<String> fingerprints) implements HostKeys {

    private static final Pattern FORM = Pattern.compile("SHA256:[A-Za-z0-9+/]{43}");

    /** Checks the form and keeps an immutable copy. */
    public Fingerprints {
      fingerprints = Set.copyOf(fingerprints);
      for (String fingerprint : fingerprints) {
        if (!FORM.matcher(fingerprint).matches()) {
          throw new IllegalArgumentException(
              "'%s' is not a fingerprint such as 'SHA256:' and 43 characters, as ssh-keygen -l prints it"
                  .formatted(fingerprint));
        }
      }
    }
  }
}
