package dev.sandboxer.ext.compose.life;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.ext.compose.host.Machine;
import dev.sandboxer.ext.compose.life.Thing.Kind;
import dev.sandboxer.ext.compose.life.Thing.State;
import dev.sandboxer.ext.compose.project.Effective;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.ssh.host.ExecResult;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What stands on a machine, all of it seen in one command. */
final class Listing {

  /** $1 is a label, $2 the folder of all, $3 one name in it or nothing. */
  private static final String SCRIPT =
      """
      c=$(docker ps -aq --no-trunc --filter "label=$1") || exit 90
      n=$(docker network ls -q --no-trunc --filter "label=$1") || exit 90
      v=$(docker volume ls -q --filter "label=$1") || exit 90
      i=$(docker images -aq --no-trunc --filter "label=$1") || exit 90
      exec 3>&1
      seen() {
        said=$("$@" 2>&1 >&3) || ! printf '%s\\n' "$said" | grep -vi 'no such' | grep -q . || { printf '%s\\n' "$said" >&2; exit 90; }
      }
      [ -z "$c" ] || seen docker inspect --format 'C {"id":{{json .Id}},"name":{{json .Name}},"labels":{{json .Config.Labels}},"made":{{json .Created}},"status":{{json .State.Status}},"exit":{{.State.ExitCode}},"oom":{{.State.OOMKilled}},"error":{{json .State.Error}},"health":{{with index .State "Health"}}{{json .Status}}{{else}}""{{end}}}' $c
      [ -z "$n" ] || seen docker network inspect --format 'N {"id":{{json .Id}},"name":{{json .Name}},"labels":{{json .Labels}},"made":{{json .Created}}}' $n
      [ -z "$v" ] || seen docker volume inspect --format 'V {"id":{{json .Name}},"name":{{json .Name}},"labels":{{json .Labels}},"made":{{json .CreatedAt}}}' $v
      [ -z "$i" ] || seen docker image inspect --format 'I {"id":{{json .Id}},"labels":{{with .Config}}{{json .Labels}}{{else}}{}{{end}},"made":{{json .Created}},"tags":{{json .RepoTags}}}' $i
      [ -d "$2" ] || exit 0
      cd -P -- "$2" || exit 91
      for f in ${3:-*}; do
        f=${f%.part}
        if [ -d "$f" ]; then d=$f part=false; elif [ -d "$f.part" ]; then d=$f.part part=true; else continue; fi
        printf 'F {"name":"%s","signature":"%s","part":%s,"made":%s}\\n' "$f" "$(head -c 200 "$d/signature" 2>/dev/null | tr -dc 0-9a-f)" $part "$(stat -c %Y "$d" || echo 0)"
      done
      """;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Labels labels;
  private final List<Thing> things;

  private Listing(Labels labels, List<Thing> things) {
    this.labels = labels;
    this.things = things;
  }

  /** Whatever has the name of an identity. */
  static Listing of(Machine machine, Labels labels, SandboxIdentity identity)
      throws ExtensionException {
    String project = Labels.project(identity);
    return new Listing(
        labels, read(machine, labels, Labels.PROJECT + "=" + project, identity.name()));
  }

  /** All of this installation. */
  static Listing ofAll(Machine machine, Labels labels) throws ExtensionException {
    return new Listing(
        labels, read(machine, labels, Labels.INSTALLATION + "=" + labels.installation(), ""));
  }

  private static List<Thing> read(Machine machine, Labels labels, String label, String name)
      throws ExtensionException {
    ExecResult result = machine.run(SCRIPT, List.of(label, machine.base(), name));
    if (!result.exited(0) || result.stdout().dropped() > 0) {
      throw Failures.engine(machine, result);
    }
    List<Thing> things = new ArrayList<>();
    for (String line : result.stdout().text().lines().filter(one -> !one.isBlank()).toList()) {
      things.add(thing(machine, labels, line));
    }
    return things;
  }

  private static Thing thing(Machine machine, Labels labels, String line)
      throws ExtensionException {
    try {
      JsonNode seen = JSON.readTree(line.substring(1));
      Map<String, String> on = new HashMap<>();
      seen.path("labels")
          .properties()
          .forEach(one -> on.put(one.getKey(), one.getValue().asText()));
      String id = seen.path("id").asText();
      String name = seen.path("name").asText().replaceFirst("^/", "");
      Instant made = instant(seen.path("made"));
      Optional<SandboxIdentity> owner = labels.identity(name, on);
      return switch (line.charAt(0)) {
        case 'C' ->
            new Thing(
                owner.isPresent() ? Kind.CONTAINER : Kind.BUILD,
                id,
                name,
                on.getOrDefault("com.docker.compose.service", ""),
                owner.or(() -> labels.built(on)),
                made,
                State.of(seen));
        // We give none a name, so an image with one is also somebody else's.
        case 'I' ->
            new Thing(
                Kind.IMAGE,
                id,
                id,
                "",
                labels.built(on).filter(_ -> seen.path("tags").isEmpty()),
                made,
                State.NONE);
        case 'N' -> new Thing(Kind.NETWORK, id, name, "", owner, made, State.NONE);
        case 'V' -> new Thing(Kind.VOLUME, id, name, "", owner, made, State.NONE);
        case 'F' ->
            new Thing(Kind.FOLDER, name, name, "", owner(labels, name, seen), made, State.NONE);
        default -> throw new IllegalArgumentException(line);
      };
    } catch (JsonProcessingException | RuntimeException e) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE,
          Outcome.UNKNOWN,
          "what stands on %s cannot be read: %s".formatted(machine.name(), e.getMessage()),
          e);
    }
  }

  /** What was cut before it had a signature is known by where it stands. */
  private static Optional<SandboxIdentity> owner(Labels labels, String name, JsonNode folder) {
    String signature = folder.path("signature").asText();
    return signature.isEmpty() && folder.path("part").asBoolean()
        ? SandboxIdentity.ofName(labels.installation(), name)
        : labels.signed(name, signature);
  }

  private static Instant instant(JsonNode made) {
    try {
      return made.isNumber()
          ? Instant.ofEpochSecond(made.asLong())
          : OffsetDateTime.parse(made.asText()).toInstant();
    } catch (DateTimeException e) {
      return Instant.EPOCH;
    }
  }

  List<Thing> all() {
    return things;
  }

  boolean has(Kind kind, SandboxIdentity identity) {
    return of(identity).anyMatch(thing -> thing.is(kind));
  }

  Stream<Thing> of(SandboxIdentity identity) {
    return things.stream().filter(thing -> thing.owner().filter(identity::equals).isPresent());
  }

  Stream<Thing> containers(SandboxIdentity identity) {
    return of(identity).filter(thing -> thing.is(Kind.CONTAINER));
  }

  /** The container that is the sandbox to the platform. */
  Optional<Thing> boxd(SandboxIdentity identity) {
    return containers(identity).filter(thing -> thing.service().equals(Effective.BOXD)).findFirst();
  }

  /** What bears the name and is not ours. */
  List<Thing> foreign(SandboxIdentity identity) {
    return things.stream()
        .filter(thing -> thing.owner().filter(identity::equals).isEmpty())
        .toList();
  }

  Labels labels() {
    return labels;
  }
}
