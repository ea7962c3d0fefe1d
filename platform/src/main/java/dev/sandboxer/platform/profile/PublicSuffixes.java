package dev.sandboxer.platform.profile;

import com.google.common.net.InternetDomainName;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.util.List;
import java.util.Optional;

/**
 * Refuses wildcards for names of many owners, such as {@code *.co.uk} and {@code *.github.io}, by
 * the public suffix list. Another release has another list, so the language itself does not know
 * it.
 */
final class PublicSuffixes {

  private static final String ANY = "*.";

  private PublicSuffixes() {}

  static void check(YamlMap top, YamlProblems problems) {
    var _ = problems.read(false, () -> ofNetwork(top, problems));
    var _ = problems.read(false, () -> ofSecrets(top, problems));
  }

  private static boolean ofNetwork(YamlMap top, YamlProblems problems) throws YamlException {
    Optional<YamlValue> network = top.find("network");
    if (network.isPresent()) {
      for (YamlValue rule : items(network.get().map(), "allow")) {
        check(rule.map().get("host"), problems);
      }
    }
    return true;
  }

  private static boolean ofSecrets(YamlMap top, YamlProblems problems) throws YamlException {
    for (YamlValue secret : items(top, "secret_refs")) {
      for (YamlValue host : items(secret.map(), "hosts")) {
        check(host, problems);
      }
    }
    return true;
  }

  private static List<YamlValue> items(YamlMap map, String key) throws YamlException {
    Optional<YamlValue> list = map.find(key);
    return list.isPresent() ? list.get().list() : List.of();
  }

  private static void check(YamlValue host, YamlProblems problems) throws YamlException {
    String pattern = host.text();
    if (!pattern.startsWith(ANY)) {
      return;
    }
    String name = pattern.substring(ANY.length());
    if (name.indexOf('.') > 0
        && InternetDomainName.isValid(name)
        && InternetDomainName.from(name).isPublicSuffix()) {
      problems.add(
          host.wrong(
              "%s covers the public suffix %s, below which names have different owners; name one more label, such as *.example.%s"
                  .formatted(host.shown(), name, name)));
    }
  }
}
