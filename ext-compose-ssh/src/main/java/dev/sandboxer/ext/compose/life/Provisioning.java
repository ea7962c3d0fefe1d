package dev.sandboxer.ext.compose.life;

import dev.sandboxer.ext.compose.host.Machine;
import dev.sandboxer.ext.compose.project.Effective;
import dev.sandboxer.ext.compose.project.ProjectFiles;
import dev.sandboxer.ext.compose.project.ProjectOptions;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.image.ImagePolicy;
import dev.sandboxer.spi.secret.SecretFile;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.host.ExecResult;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Brings a project up: copied, resolved, checked, completed, started. */
final class Provisioning {

  /** How long `up` may work on the machine, whoever still waits for it. */
  static final Duration LONGEST = Duration.ofMinutes(5);

  /** The option that stands for an archive. */
  public static final String PROJECT = "project";

  private static final int KILLED = 124;
  private static final int BUSY = 75;

  /** $1 compose, $2 project, $3 folder. */
  private static final String CONFIG =
      """
      own=; [ ! -f "$3/project/.env" ] || own="--env-file $3/project/.env"
      exec $1 --ansi never -p "$2" --project-directory "$3/project" $own --env-file "$3/env" -f "$3/project/$4" config --format json
      """;

  /** $1 compose. */
  private static final String VERSION = "$1 version --short >/dev/null 2>&1";

  /** $1 folder. */
  private static final String WRITE =
      "cd -P -- \"$1\" && cat >effective.part && mv -f effective.part effective.json";

  /**
   * One at a time in a folder, and not for ever: a connection that is lost leaves it running. What
   * waits for boxd's end afterwards ends the other services with it, also while the platform is
   * away. Each log is a pipe, which takes no disk, and no program until somebody reads it; the next
   * reader gets another pipe, so that this one sees the end. $1 compose, $2 project, $3 folder, $4
   * seconds, $5 service of boxd.
   */
  private static final String UP =
      """
      echo $$ >"$3/up.pid"
      flock -E 75 -w "$4" "$3" timeout --foreground -k 5 "$4" $1 --ansi never --progress plain -p "$2" --project-directory "$3/project" -f "$3/effective.json" up -d --no-build --remove-orphans >&2 || exit
      rm -f "$3/up.pid"
      all=$(docker ps -a --no-trunc --filter "label=com.docker.compose.project=$2" --format '{{.ID}} {{.Label "com.docker.compose.service"}}') || exit 1
      id=$(printf '%s\\n' "$all" | sed -n "s/ $5\\$//p")
      [ -n "$id" ] && printf '%s\\n' "$all" | while read -r c s; do [ "$c" = "$id" ] || mkfifo -m 644 "$3/logs/$s" || exit; done || exit 1
      setsid sh -c 'printf "%s\\n" "$4" | while read -r c s; do
          f=$3/logs/$s
          while [ -p "$f" ]; do docker logs "$c" >"$f" 2>&1; mkfifo -m 644 "$f~" && mv -f "$f~" "$f"; sleep 1; done &
        done
        while [ "$(docker inspect -f "{{.State.Running}}" "$1" 2>/dev/null)" = true ]; do docker wait "$1" || sleep 1; done
        docker ps -q --filter "label=com.docker.compose.project=$2" | xargs -r docker stop -t 2
        kill 0' sh "$id" "$2" "$3" "$all" </dev/null >/dev/null 2>&1 &
      """;

  private final ImagePolicy images;
  private final Labels labels;
  private final Teardown teardown;
  private final BoxdFile boxd = new BoxdFile();

  Provisioning(ImagePolicy images, Labels labels, Teardown teardown) {
    this.images = images;
    this.labels = labels;
    this.teardown = teardown;
  }

  ComposeHandle provision(Machine machine, ProvisionRequest request, Call call)
      throws ExtensionException {
    SandboxIdentity identity = request.identity();
    ProjectFiles files =
        ProjectFiles.read(
            ProjectOptions.of(request.spec().options()),
            Optional.ofNullable(request.archives().get(PROJECT)));
    Listing seen = nothingMade(() -> Listing.of(machine, labels, identity));
    refuseStrangers(seen, identity);
    Optional<Thing> running = seen.boxd(identity).filter(one -> !one.state().ended());
    if (running.isPresent() && running.get().state().runs()) {
      return new ComposeHandle(identity);
    }
    if (seen.of(identity).findAny().isPresent()) {
      // Half of a project, or one that has ended: it is made again from the beginning.
      teardown.of(machine, identity);
    }
    BoxdFile.Placed placed = nothingMade(() -> boxd.place(machine, request.daemon(), call));
    call.progress(Progress.of("copy"));
    copy(machine, identity, files, request, call);
    String folder = machine.folder(identity);
    call.progress(Progress.of("check"));
    Effective.Checked checked;
    try {
      checked = checked(machine, request, files, placed);
    } catch (ExtensionException e) {
      throw removed(machine, identity, e);
    }
    byte[] effective =
        checked.file(
            new ImageBuilds(machine, identity, request.spec().resources(), call)
                .make(checked.builds(), images.pull()));
    try {
      SecretFolder.write(machine, identity, request.secretFiles(), effective);
    } catch (ExtensionException e) {
      throw removed(machine, identity, e);
    }
    ExecResult written = machine.run(WRITE, List.of(folder), Optional.of(effective));
    if (!written.exited(0)) {
      throw Failures.created(identity, ErrorCode.UNAVAILABLE, Failures.said(written));
    }
    call.progress(Progress.of("up"));
    up(machine, identity, folder, call);
    return new ComposeHandle(identity);
  }

  /** A first look at the machine changes nothing, however it fails. */
  private interface Look<T> {
    T look() throws ExtensionException;
  }

  private static <T> T nothingMade(Look<T> look) throws ExtensionException {
    try {
      return look.look();
    } catch (ExtensionException e) {
      throw new ExtensionException(
          e.code(), Outcome.NOTHING_CREATED, String.valueOf(e.getMessage()), e);
    }
  }

  private static void refuseStrangers(Listing seen, SandboxIdentity identity)
      throws ExtensionException {
    List<Thing> foreign = seen.foreign(identity);
    if (!foreign.isEmpty()) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          "%s is taken by what this installation has not signed: %s"
              .formatted(Labels.project(identity), foreign.stream().map(Thing::uid).toList()));
    }
  }

  private void copy(
      Machine machine,
      SandboxIdentity identity,
      ProjectFiles files,
      ProvisionRequest request,
      Call call)
      throws ExtensionException {
    byte[] archive = files.archive(labels.sign(identity), request.daemon().config());
    try {
      machine.files().makeFolder(machine.base(), call);
      machine
          .files()
          .unpack(new ByteArrayInputStream(archive), machine.base(), identity.name(), call);
    } catch (SshException e) {
      throw Machine.failure(e);
    }
  }

  private Effective.Checked checked(
      Machine machine, ProvisionRequest request, ProjectFiles files, BoxdFile.Placed placed)
      throws ExtensionException {
    SandboxIdentity identity = request.identity();
    String folder = machine.folder(identity);
    String project = Labels.project(identity);
    ExecResult config =
        machine.run(CONFIG, List.of(machine.compose(), project, folder, files.options().file()));
    if (!config.exited(0)) {
      if (!machine.run(VERSION, List.of(machine.compose())).exited(0)) {
        throw new ExtensionException(
            ErrorCode.UNAVAILABLE,
            "%s has no Docker Compose as '%s'; settings.compose and settings.path of the host say where it is"
                .formatted(machine.name(), machine.compose()));
      }
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          "Compose does not take the project: "
              + Failures.said(config).replace(folder + "/" + ProjectFiles.PROJECT + "/", ""));
    }
    return new Effective(
            files,
            images,
            new Effective.Machine(
                project,
                folder,
                placed.path(),
                placed.root(),
                SecretFolder.of(machine, identity),
                request.secretFiles().stream().map(SecretFile::name).toList()),
            labels.of(identity, request.spec().labels()),
            labels.ofBuild(identity))
        .of(config.stdout().text(), request);
  }

  /** Nothing but the folder was made; where that cannot be removed it is said. */
  private ExtensionException removed(
      Machine machine, SandboxIdentity identity, ExtensionException cause) {
    try {
      if (teardown.of(machine, identity).clean()) {
        return new ExtensionException(
            cause.code(), Outcome.NOTHING_CREATED, String.valueOf(cause.getMessage()), cause);
      }
    } catch (ExtensionException e) {
      cause.addSuppressed(e);
    }
    return new ExtensionException(
        cause.code(), Outcome.UNKNOWN, String.valueOf(cause.getMessage()), cause);
  }

  private void up(Machine machine, SandboxIdentity identity, String folder, Call call)
      throws ExtensionException {
    long seconds = Math.clamp(call.remaining().toSeconds(), 1, LONGEST.toSeconds());
    ExecResult result =
        machine.run(
            UP,
            List.of(
                machine.compose(),
                Labels.project(identity),
                folder,
                Long.toString(seconds),
                Effective.BOXD));
    if (result.exited(BUSY) || result.exited(KILLED)) {
      throw Failures.created(
          identity,
          ErrorCode.TIMEOUT,
          "the project did not come up within %d s: %s".formatted(seconds, Failures.said(result)));
    }
    if (!result.exited(0)) {
      throw Failures.start(
          machine, Listing.of(machine, labels, identity), identity, Failures.said(result));
    }
  }
}
