package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Probing.Check;
import dev.sandboxer.spi.Probing.Probe;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Reads what {@code boxd jail probe} found. */
final class Probes {
  private Probes() {}

  static Probe of(Fields fields, String images) {
    int checks = Integer.parseInt(fields.get("checks"));
    return new Probe(
            Boolean.parseBoolean(fields.get("usable")),
            fields.list("not_enforced").stream()
                .map(name -> Limit.valueOf(name.toUpperCase(Locale.ROOT)))
                .collect(Collectors.toUnmodifiableSet()),
            Stream.concat(
                    IntStream.range(0, checks).mapToObj(i -> check(fields, "check." + i + ".")),
                    Stream.of(new Check("images", true, images, null)))
                .toList())
        .withRoom(Machine.room())
        .withRuntimes(Set.of());
  }

  private static Check check(Fields fields, String prefix) {
    String remedy = fields.get(prefix + "remedy");
    return new Check(
        fields.get(prefix + "name"),
        Boolean.parseBoolean(fields.get(prefix + "ok")),
        fields.get(prefix + "detail"),
        remedy.isEmpty() ? null : remedy);
  }
}
