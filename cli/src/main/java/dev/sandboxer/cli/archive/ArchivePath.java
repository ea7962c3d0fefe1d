package dev.sandboxer.cli.archive;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Failure;
import java.util.regex.Pattern;

/** Where archives are in the API. A digest becomes part of a path, so it is checked here. */
final class ArchivePath {
  static final String ALL = "/v1/archives";

  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");

  private ArchivePath() {}

  /** The path of the archive whose digest a person gave. */
  static String of(String digest) {
    if (!DIGEST.matcher(digest).matches()) {
      throw Failure.usage(
          "\"" + digest + "\" is no archive's digest: sha256: and 64 hexadecimal digits");
    }
    return ALL + "/" + digest;
  }

  /** The digest in an archive's record. */
  static String digest(JsonNode archive) {
    String digest = archive.path("digest").asText();
    if (!DIGEST.matcher(digest).matches()) {
      throw Failure.sandboxer(
          "the platform answered an archive without a digest: is it a Sandboxer platform?");
    }
    return digest;
  }
}
