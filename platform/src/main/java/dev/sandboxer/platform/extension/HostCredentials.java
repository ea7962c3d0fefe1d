package dev.sandboxer.platform.extension;

import dev.sandboxer.platform.installation.Environment;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Outcome;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of hosts. What is stored are references, {@code env:NAME} and {@code file:/PATH};
 * they are read for each call, so a changed secret counts at once.
 */
@ApplicationScoped
public class HostCredentials {

  private static final String ENV = "env:";
  private static final String FILE = "file:";

  /** The platform's own settings, some of which are secrets of their own. */
  private static final String OWN = "SANDBOXER_";

  private static final int MOST_BYTES = 65_536;

  private final Environment environment;

  HostCredentials(Environment environment) {
    this.environment = environment;
  }

  /**
   * What is wrong with a reference as such; whether there is a secret behind it is not looked at.
   *
   * @param reference as the operator wrote it
   * @return for a person, null if nothing is
   */
  public static @Nullable String mistake(String reference) {
    if (reference.startsWith(ENV)) {
      String name = reference.substring(ENV.length());
      if (!name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
        return "'%s' names no environment variable".formatted(reference);
      }
      return name.startsWith(OWN)
          ? "'%s' is a setting of the platform itself; name a variable of your own"
              .formatted(reference)
          : null;
    }
    if (reference.startsWith(FILE)) {
      return Path.of(reference.substring(FILE.length())).isAbsolute()
          ? null
          : "'%s' must be an absolute path".formatted(reference);
    }
    return "it must be a reference, env:NAME or file:/PATH, never the secret itself";
  }

  /** The same host with its secrets instead of the references to them. */
  HostRef resolve(HostRef host) throws ExtensionException {
    if (host.credentials().isEmpty()) {
      return host;
    }
    Map<String, String> secrets = new TreeMap<>();
    for (Map.Entry<String, String> one : host.credentials().entrySet()) {
      secrets.put(one.getKey(), secret(host, one.getKey(), one.getValue()));
    }
    return host.withCredentials(secrets);
  }

  private String secret(HostRef host, String name, String reference) throws ExtensionException {
    try {
      @Nullable String secret =
          reference.startsWith(ENV)
              ? environment.get(reference.substring(ENV.length()))
              : file(Path.of(reference.substring(FILE.length())));
      if (secret != null) {
        return secret;
      }
      throw missing(host, name, reference, "it is not set", null);
    } catch (NoSuchFileException e) {
      throw missing(host, name, reference, "there is no such file", e);
    } catch (AccessDeniedException e) {
      throw missing(host, name, reference, "the platform may not read it", e);
    } catch (IOException e) {
      throw missing(host, name, reference, String.valueOf(e.getMessage()), e);
    }
  }

  private static String file(Path path) throws IOException {
    if (Files.size(path) > MOST_BYTES) {
      throw new IOException("it has more than " + MOST_BYTES + " bytes");
    }
    return Files.readString(path, StandardCharsets.UTF_8).strip();
  }

  /** Another place may have its secrets. */
  private static ExtensionException missing(
      HostRef host, String name, String reference, String why, @Nullable Exception cause) {
    return new ExtensionException(
        ErrorCode.UNAVAILABLE,
        Outcome.NOTHING_CREATED,
        "credential '%s' of host %s (%s): %s".formatted(name, host.id(), reference, why),
        cause);
  }
}
