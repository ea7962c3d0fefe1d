package dev.sandboxer.platform.api.volume;

import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.mount.MountRules;
import dev.sandboxer.platform.problem.ProblemException;
import java.math.BigInteger;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /v1/volumes}. */
@Schema(
    name = "NewVolume",
    requiredProperties = {"name", "size"})
record VolumeBody(
    @Schema(
            description = "unique in the tenant",
            pattern = "[a-z0-9][a-z0-9-]{0,62}",
            examples = "data")
        String name,
    @Schema(
            description =
                "its limit, from 16Mi to 16Ti, which the file system's own tables are part of: a"
                    + " number with Ki, Mi, Gi or Ti (a B may follow), or a number of bytes",
            pattern = "[1-9][0-9]{0,15}((Ki|Mi|Gi|Ti)B?)?",
            examples = "1GiB")
        String size,
    @Schema(
            description = "the backend that keeps it; needed without a profile, if several could",
            examples = "ext.nsjail")
        Optional<String> extension,
    @Schema(description = "where; a host of that backend by default", examples = "node-1")
        Optional<String> host,
    @Schema(
            description =
                "instead of both: it is kept where a sandbox of this profile would go now",
            examples = "local")
        Optional<String> profile) {

  static final String EXAMPLE =
      """
      {"name": "data", "size": "1GiB", "extension": "ext.nsjail"}""";

  private static final Pattern ANY = Pattern.compile("(?s).*");
  private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,15})(?:(Ki|Mi|Gi|Ti)B?)?");
  private static final Pattern EXTENSION = Pattern.compile("ext\\.[a-z0-9][a-z0-9-]{0,39}");
  private static final Pattern TEXT = Pattern.compile("[^\\p{Cc}]{1,200}");
  private static final long LEAST = 16L << 20;
  private static final long MOST = 16L << 40;

  /** What is wanted, with the size in bytes. */
  record Read(
      String name,
      long sizeBytes,
      Optional<String> extension,
      Optional<String> host,
      Optional<String> profile) {}

  static Read read(Body body) {
    body.only("name", "size", "extension", "host", "profile");
    String name = body.text("name", ANY, "1 to 63 of a-z, 0-9 and '-'");
    try {
      name = MountRules.volume(name);
    } catch (IllegalArgumentException e) {
      throw body.invalid("name", String.valueOf(e.getMessage()));
    }
    Read read =
        new Read(
            name,
            size(body),
            body.optionalText("extension", EXTENSION, "the id of a backend, such as ext.nsjail"),
            body.optionalText("host", TEXT, "the name of a host"),
            body.optionalText("profile", TEXT, "the name of a profile"));
    if (read.profile().isPresent() && (read.extension().isPresent() || read.host().isPresent())) {
      throw body.invalid("profile", "goes neither with 'extension' nor with 'host'");
    }
    if (read.host().isPresent() && read.extension().isEmpty()) {
      throw body.invalid("host", "needs 'extension', the backend on that host");
    }
    return read;
  }

  private static long size(Body body) {
    if (body.isNumber("size")) {
      return body.optionalNumber("size", LEAST, MOST).orElseThrow();
    }
    String text = body.text("size", SIZE, "a size, such as 1GiB, or a number of bytes");
    Matcher match = SIZE.matcher(text);
    if (!match.matches()) {
      throw wrong(body);
    }
    BigInteger bytes = new BigInteger(match.group(1)).shiftLeft(shift(match.group(2)));
    if (bytes.compareTo(BigInteger.valueOf(LEAST)) < 0
        || bytes.compareTo(BigInteger.valueOf(MOST)) > 0) {
      throw wrong(body);
    }
    return bytes.longValueExact();
  }

  private static ProblemException wrong(Body body) {
    return body.invalid("size", "must be from 16Mi to 16Ti");
  }

  private static int shift(@Nullable String unit) {
    return switch (unit) {
      case "Ki" -> 10;
      case "Mi" -> 20;
      case "Gi" -> 30;
      case "Ti" -> 40;
      case null, default -> 0;
    };
  }
}
