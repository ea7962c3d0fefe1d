package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import java.util.regex.Pattern;

/**
 * The name of an image as a profile gives it.
 *
 * @param text as given
 * @param repository without tag or digest
 * @param tag empty where a digest is given
 * @param digest empty where a tag is given
 */
record ImageName(String text, String repository, String tag, String digest) {

  private static final int MAX_LENGTH = 255;
  private static final String COMPONENT = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
  // The host's port is the one colon that a repository may have.
  private static final Pattern REPOSITORY =
      Pattern.compile(
          "([a-zA-Z0-9][a-zA-Z0-9.-]*(:[0-9]{1,5})?/)?" + COMPONENT + "(/" + COMPONENT + ")*");
  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");
  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");

  static ImageName of(String text) throws ExtensionException {
    if (text.length() > MAX_LENGTH) {
      throw wrong(text.substring(0, MAX_LENGTH) + "…");
    }
    int at = text.indexOf('@');
    String digest = at < 0 ? "" : text.substring(at + 1);
    String named = at < 0 ? text : text.substring(0, at);
    int colon = named.lastIndexOf(':');
    boolean tagged = colon > named.lastIndexOf('/');
    String repository = tagged ? named.substring(0, colon) : named;
    String tag = tagged ? named.substring(colon + 1) : "";
    if (!REPOSITORY.matcher(repository).matches()
        || (tagged && !TAG.matcher(tag).matches())
        || (at >= 0 && !DIGEST.matcher(digest).matches())) {
      throw wrong(text);
    }
    return new ImageName(text, repository, tagged || at >= 0 ? tag : "latest", digest);
  }

  private static ExtensionException wrong(String text) {
    return new ExtensionException(
        ErrorCode.VALIDATION,
        "image '%s' is not an image name: [host[:port]/]path[:tag][@sha256:...], lower case"
            .formatted(text));
  }

  /** With registry and tag, as people mean it. */
  String full() {
    String[] parts = repository.split("/", 2);
    boolean host =
        parts.length == 2
            && (parts[0].contains(".") || parts[0].contains(":") || parts[0].equals("localhost"));
    String path =
        host
            ? repository
            : "docker.io/" + (parts.length == 2 ? repository : "library/" + repository);
    return path + (tag.isEmpty() ? "" : ":" + tag) + (digest.isEmpty() ? "" : "@" + digest);
  }

  /** What the Engine calls a tag in a pull: the digest where there is one. */
  String reference() {
    return digest.isEmpty() ? tag : digest;
  }
}
