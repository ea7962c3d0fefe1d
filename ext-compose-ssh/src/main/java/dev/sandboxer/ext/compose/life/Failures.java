package dev.sandboxer.ext.compose.life;

import dev.sandboxer.ext.compose.host.Machine;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.ssh.host.ExecResult;
import dev.sandboxer.ssh.host.ExecResult.Exited;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** What the programs of a machine mean by what they say. */
final class Failures {

  private static final Pattern FORBIDDEN =
      Pattern.compile("permission denied", Pattern.CASE_INSENSITIVE);
  private static final Pattern MISSING = Pattern.compile("not found|is not a docker command");
  private static final Pattern IMAGE =
      Pattern.compile(
          "No such image|pull access denied|manifest unknown|failed to resolve reference|not found: manifest");
  private static final Pattern FULL =
      Pattern.compile(
          "no space left on device|could not find an available, non-overlapping",
          Pattern.CASE_INSENSITIVE);
  private static final int LINES = 20;
  private static final int MOST = 2_000;

  private static final String LOGS = "docker logs --tail " + LINES + " \"$1\" 2>&1";

  private Failures() {}

  /** The Engine was not asked, or did not answer. */
  static ExtensionException engine(Machine machine, ExecResult result) {
    String said = said(result);
    ErrorCode code = ErrorCode.UNAVAILABLE;
    String remedy = "";
    if (FORBIDDEN.matcher(said).find()) {
      code = ErrorCode.AUTHORIZATION;
      remedy = "; the user needs the group docker, which is as much as root there";
    } else if (MISSING.matcher(said).find()) {
      remedy = "; settings.path and settings.compose of the host say where the programs are";
    }
    return new ExtensionException(
        code,
        Outcome.UNKNOWN,
        "the Docker Engine of %s does not answer: %s%s".formatted(machine.name(), said, remedy),
        null);
  }

  /** Why a project did not come up: by what the Engine says of its containers, then by text. */
  static ExtensionException start(
      Machine machine, Listing seen, SandboxIdentity identity, String said)
      throws ExtensionException {
    Optional<Thing> bad = seen.containers(identity).filter(one -> one.state().bad()).findFirst();
    if (bad.isPresent()) {
      return service(machine, identity, bad.get());
    }
    ErrorCode code = ErrorCode.CRASH;
    if (IMAGE.matcher(said).find()) {
      code = ErrorCode.IMAGE_PULL;
    } else if (FULL.matcher(said).find()) {
      code = ErrorCode.CAPACITY;
    } else if (said.isBlank()) {
      code = ErrorCode.TIMEOUT;
    }
    return created(identity, code, "the project did not come up: " + said);
  }

  /** A service that ended or is not healthy, with its last words. */
  static ExtensionException service(Machine machine, SandboxIdentity identity, Thing service)
      throws ExtensionException {
    ErrorCode code = service.state().oom() ? ErrorCode.OOM : ErrorCode.CRASH;
    return created(
        identity,
        service.state().ended() ? code : ErrorCode.TIMEOUT,
        "service %s %s%s"
            .formatted(
                service.service(),
                service.state().ended() ? service.state().shown() : "is not healthy",
                logs(machine, service)));
  }

  /** A service whose image was not built, with the last lines of its build. */
  static ExtensionException build(
      SandboxIdentity identity, String service, boolean late, String said) {
    ErrorCode code = ErrorCode.CRASH;
    if (late) {
      code = ErrorCode.TIMEOUT;
    } else if (FULL.matcher(said).find()) {
      code = ErrorCode.CAPACITY;
    } else if (said.endsWith("returned a non-zero code: 137")) {
      code = ErrorCode.OOM;
    }
    return created(identity, code, "service %s was not built: %s".formatted(service, said));
  }

  static String logs(Machine machine, Thing service) throws ExtensionException {
    String text = machine.run(LOGS, List.of(service.id())).stdout().text();
    String last = tail(text);
    return last.isEmpty() ? ", and wrote nothing" : ": " + last;
  }

  static ExtensionException created(SandboxIdentity identity, ErrorCode code, String message) {
    return new ExtensionException(
        code, new Outcome.Created(new ComposeHandle(identity).toHandle()), message, null);
  }

  /** The last lines of what a program said, for a person. */
  static String said(ExecResult result) {
    String text = tail(result.stderr().text());
    return text.isEmpty() ? String.valueOf(result.end()) : text;
  }

  /** The last line of what a probe wrote, or how it ended. */
  static String answer(ExecResult result) {
    String text = tail(result.stdout().text());
    if (!text.isEmpty()) {
      return text.lines().toList().getLast();
    }
    return result.end() instanceof Exited(int code) ? "code " + code : "" + result.end();
  }

  private static String tail(String text) {
    List<String> lines = text.strip().lines().toList();
    String last =
        String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()))
            .replaceAll("\u001b\\[[0-9;]*m", "")
            .replaceAll("[\\p{Cntrl}&&[^\\n\\t]]", "?");
    return last.substring(Math.max(0, last.length() - MOST));
  }
}
