package dev.sandboxer.ext.compose.life;

import dev.sandboxer.ext.compose.host.Machine;
import dev.sandboxer.ext.compose.life.Thing.Kind;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.CleanupReport.Leftover;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.ssh.host.ExecResult;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Removes what carries a signature, by its id. Neither Compose nor its file is needed. */
final class Teardown {

  /** Ends a build or an `up` that would go on without its caller. $1 folder. */
  private static final String END =
      """
      up=$(head -n 1 "$1/up.pid" 2>/dev/null | tr -dc 0-9)
      [ -n "$up" ] && tr '\\0' ' ' <"/proc/$up/cmdline" 2>/dev/null | grep -qF "$1" && kill -KILL "-$up" 2>/dev/null && echo ended
      [ ! -d "$1" ] || flock -w 20 "$1" true
      """;

  /**
   * $1 base, $2 name, $3 containers, $4 networks, $5 volumes, and images on the standard input. The
   * Engine removes an image together with its layers, so ids of layers may be gone by then.
   */
  private static final String REMOVE =
      """
      [ -z "$3" ] || docker rm -f -v $3 >/dev/null
      rm -rf -- "%s${1##*/}-$2"
      [ -z "$4" ] || docker network rm $4 >/dev/null
      [ -z "$5" ] || docker volume rm -f $5 >/dev/null
      xargs -r docker image rm -f >/dev/null
      exit 0
      """
          .formatted(SecretFolder.PREFIX);

  private final Labels labels;

  Teardown(Labels labels) {
    this.labels = labels;
  }

  CleanupReport of(Machine machine, SandboxIdentity identity) throws ExtensionException {
    Listing before = Listing.of(machine, labels, identity);
    if (before.has(Kind.FOLDER, identity)
        && machine.run(END, List.of(machine.folder(identity))).stdout().text().contains("ended")) {
      before = Listing.of(machine, labels, identity);
    }
    List<Thing> foreign = before.foreign(identity);
    List<Thing> ours = before.all().stream().filter(thing -> !foreign.contains(thing)).toList();
    if (ours.isEmpty()) {
      return new CleanupReport(List.of(), List.of(), strangers(foreign));
    }
    ExecResult result =
        machine.run(
            REMOVE,
            List.of(
                machine.base(),
                identity.name(),
                ids(ours, Kind.CONTAINER, Kind.BUILD),
                ids(ours, Kind.NETWORK),
                ids(ours, Kind.VOLUME)),
            Optional.of(ids(ours, Kind.IMAGE).getBytes(StandardCharsets.US_ASCII)));
    if (ours.stream().anyMatch(thing -> thing.is(Kind.FOLDER))) {
      machine.removeFolder(identity);
    }
    Listing after = Listing.of(machine, labels, identity);
    List<Thing> left = List.copyOf(after.all());
    List<Thing> strangers = after.foreign(identity);
    return new CleanupReport(
        ours.stream()
            .filter(thing -> left.stream().noneMatch(other -> other.uid().equals(thing.uid())))
            .map(Thing::uid)
            .toList(),
        left.stream()
            .filter(thing -> !strangers.contains(thing))
            .map(thing -> new Leftover(thing.uid(), Failures.said(result)))
            .toList(),
        strangers(strangers));
  }

  private static List<Leftover> strangers(List<Thing> foreign) {
    return foreign.stream()
        .map(
            thing ->
                new Leftover(
                    thing.uid(),
                    thing.name()
                        + " does not carry this installation's signature; it is left alone"))
        .toList();
  }

  private static String ids(List<Thing> things, Kind... kinds) {
    return things.stream()
        .filter(thing -> List.of(kinds).contains(thing.kind()))
        .map(Thing::id)
        .collect(Collectors.joining(" "));
  }
}
