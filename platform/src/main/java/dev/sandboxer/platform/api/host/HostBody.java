package dev.sandboxer.platform.api.host;

import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.host.Capacity;
import dev.sandboxer.platform.host.HostChange;
import dev.sandboxer.platform.host.Registration;
import dev.sandboxer.platform.sandbox.ExtensionId;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The bodies that register and change hosts, checked. */
final class HostBody {

  static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");
  static final String NAME_WANTED = "1 to 63 lower case letters, digits and dashes";

  private static final Pattern EXTENSION = Pattern.compile("ext\\.[a-z0-9][a-z0-9-]{0,39}");
  private static final Pattern ADDRESS = Pattern.compile("[^\\s\\p{Cntrl}]{1,512}");
  private static final String ADDRESS_WANTED = "up to 512 characters without spaces";
  private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,62}");
  private static final String LABEL_WANTED = "1 to 63 of A-Za-z0-9._/-";
  private static final Pattern CREDENTIAL = Pattern.compile("[a-z][a-z0-9_]{0,62}");
  private static final int MOST = 64;
  private static final int LONGEST = 256;
  private static final int MOST_SANDBOXES = 1_000_000;

  private HostBody() {}

  static Registration registration(Body body) {
    body.only(
        "name",
        "extension",
        "address",
        "node",
        "region",
        "labels",
        "settings",
        "credentials",
        "capacity");
    return new Registration(
        body.text("name", NAME, NAME_WANTED),
        new ExtensionId(body.text("extension", EXTENSION, "ext.<name>")),
        body.optionalText("address", ADDRESS, ADDRESS_WANTED).orElse("local"),
        body.optionalText("node", NAME, NAME_WANTED).orElse(null),
        body.optionalText("region", NAME, NAME_WANTED).orElse(null),
        labels(body),
        body.optionalValues("settings").orElse(Map.of()),
        credentials(body),
        body.optionalObject("capacity")
            .map(HostBody::capacity)
            .orElse(new Capacity(null, null, null)));
  }

  /** What is not in the body stays; what is, replaces the whole value. */
  static HostChange change(Body body) {
    body.only("address", "region", "labels", "settings", "credentials", "capacity");
    return new HostChange(
        body.optionalText("address", ADDRESS, ADDRESS_WANTED),
        body.mentions("region")
            ? Optional.of(
                new HostChange.Region(body.optionalText("region", NAME, NAME_WANTED).orElse(null)))
            : Optional.empty(),
        body.mentions("labels") ? Optional.of(labels(body)) : Optional.empty(),
        body.optionalValues("settings"),
        body.mentions("credentials") ? Optional.of(credentials(body)) : Optional.empty(),
        body.optionalObject("capacity").map(HostBody::capacity));
  }

  private static Map<String, String> labels(Body body) {
    return body.texts("labels", LABEL, LABEL_WANTED, MOST, LONGEST);
  }

  private static Map<String, String> credentials(Body body) {
    return body.texts(
        "credentials", CREDENTIAL, "lower case letters, digits and underscores", MOST, 1024);
  }

  private static Capacity capacity(Body body) {
    body.only("sandboxes", "cpus", "memory_bytes");
    return new Capacity(
        body.optionalNumber("sandboxes", 0, MOST_SANDBOXES).map(Long::intValue).orElse(null),
        body.optionalPositive("cpus").orElse(null),
        body.optionalNumber("memory_bytes", 1, Long.MAX_VALUE).orElse(null));
  }
}
