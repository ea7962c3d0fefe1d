package dev.sandboxer.ext.compose.project;

import dev.sandboxer.spi.ExtensionException;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that must answer before a sandbox is ready.
 *
 * @param service that is asked
 * @param own whether the command runs in the service's container; in boxd's if not
 * @param command ends with code 0 once the answer is good, and writes what it is
 * @param shown to people
 * @param seconds that it has, once all services are up
 */
public record ReadyProbe(
    String service, boolean own, List<String> command, String shown, long seconds) {

  private static final String USUAL = "60s";

  /**
   * Reads the option, which the extension's schema describes.
   *
   * @param option {@code ready}; null for none
   * @param named the service in whose network boxd is
   * @return in the order in which they are asked
   * @throws ExtensionException VALIDATION if they cannot be right
   */
  static List<ReadyProbe> of(@Nullable Object option, String named) throws ExtensionException {
    List<ReadyProbe> probes = new ArrayList<>();
    for (Object one : option instanceof List<?> list ? list : List.of()) {
      try {
        probes.add(read((Map<?, ?>) one, named));
      } catch (ClassCastException | DateTimeException e) {
        throw ProjectOptions.wrong("options.ready[%d] cannot be read".formatted(probes.size()));
      }
    }
    return probes;
  }

  private static ReadyProbe read(Map<?, ?> probe, String named) {
    String service = String.valueOf(probe.get("service"));
    // Of the service in whose network boxd is, also what listens on loopback alone.
    String host = service.equals(named) ? "localhost" : service;
    String timeout = probe.containsKey("timeout") ? "" + probe.get("timeout") : USUAL;
    long seconds = Duration.parse("PT" + timeout.toUpperCase(Locale.ROOT)).toSeconds();
    if (probe.get("http") instanceof Map<?, ?> http) {
      String rest = ":" + http.get("port") + (http.containsKey("path") ? http.get("path") : "/");
      return asked(service, "http", "http://" + host + rest, rest, seconds);
    }
    if (probe.containsKey("tcp")) {
      String rest = ":" + probe.get("tcp");
      return asked(service, "tcp", host + rest, rest, seconds);
    }
    List<String> words = new ArrayList<>();
    for (Object word : probe.get("command") instanceof List<?> list ? list : List.of()) {
      words.add(String.valueOf(word));
    }
    return new ReadyProbe(service, true, words, "command " + String.join(" ", words), seconds);
  }

  private static ReadyProbe asked(
      String service, String kind, String target, String rest, long seconds) {
    List<String> command = List.of(Effective.INSIDE + "/boxd", "probe", kind, target);
    return new ReadyProbe(service, false, command, kind + " " + rest, seconds);
  }
}
