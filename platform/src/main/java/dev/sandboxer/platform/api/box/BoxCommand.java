package dev.sandboxer.platform.api.box;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.box.Boxes.Ensured;
import dev.sandboxer.platform.box.Boxes.Outcome;
import dev.sandboxer.platform.dataplane.Command;
import dev.sandboxer.platform.dataplane.CommandOutput;
import dev.sandboxer.platform.dataplane.CommandResult;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /v1/boxes/{id}/exec}: the dataplane's names and limits. */
@Schema(
    name = "BoxCommand",
    requiredProperties = {"command"})
record BoxCommand(
    @Schema(
            description = "program and arguments, or a text for /bin/sh -c",
            implementation = Object.class,
            anyOf = {String.class, String[].class},
            examples = "ls -l")
        Object command,
    @Schema(description = "the workspace where absent; a relative one starts there")
        Optional<String> cwd,
    @Schema(description = "over those of box and profile") Map<String, String> env,
    @Schema(description = "its input, up to about 750 kB") Optional<String> stdin,
    @Schema(
            description = "after which it is killed with all that it started",
            minimum = "1",
            maximum = "86400000",
            defaultValue = "60000")
        Optional<Long> timeoutMs) {

  static final String EXAMPLE =
      """
      {"command": "python3 -c 'print(6 * 7)'", "timeout_ms": 30000}""";

  private static final Pattern TEXT = Pattern.compile("(?s)[^\\x00]{1,131072}");
  private static final String TEXT_WANTED = "1 to 131072 characters without NUL";
  private static final Pattern ARGUMENT = Pattern.compile("(?s)[^\\x00]{0,131072}");
  private static final Pattern PATH = Pattern.compile("(?s)[^\\x00]{1,4096}");
  private static final Pattern INPUT = Pattern.compile("(?s).{0,1000000}");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
  private static final int MAX_ARGUMENTS = 1024;
  private static final int MAX_VARIABLES = 64;
  private static final int MAX_VALUE = 32 * 1024;
  private static final long DEFAULT_TIMEOUT = 60_000;
  private static final long LONGEST_TIMEOUT = 24L * 3600 * 1000;

  static Command read(Body body) {
    body.only("command", "cwd", "env", "stdin", "timeout_ms");
    return new Command(
        argv(body),
        body.optionalText("cwd", PATH, "a folder inside"),
        body.texts("env", VARIABLE, "a variable's name", MAX_VARIABLES, MAX_VALUE),
        Duration.ofMillis(
            body.optionalNumber("timeout_ms", 1, LONGEST_TIMEOUT).orElse(DEFAULT_TIMEOUT)),
        body.optionalText("stdin", INPUT, "a text of at most 1000000 characters")
            .map(Buffer::buffer));
  }

  private static List<String> argv(Body body) {
    if (body.isList("command")) {
      List<String> argv =
          body.optionalList("command", ARGUMENT, "texts without NUL", MAX_ARGUMENTS)
              .orElse(List.of());
      if (argv.isEmpty() || argv.getFirst().isEmpty()) {
        throw body.invalid("field 'command' names no program");
      }
      return argv;
    }
    return List.of("/bin/sh", "-c", body.text("command", TEXT, TEXT_WANTED));
  }

  /** How a command in a box ended. */
  @Schema(name = "BoxCommandEnded")
  record Ended(
      @Schema(examples = "box_k3v9a0q7x2m5n8b1c4d6") String boxId,
      @Schema(examples = "sb_k3v9a0q7x2m5n8b1c4d6") String sandboxId,
      @Schema(
              description = "vanished: its sandbox had ended and was made again for this command",
              enumeration = {"found", "vanished"})
          String outcome,
      @Schema(description = "null if a signal ended it") @Nullable Integer exitCode,
      @Schema(description = "that ended it, null if it exited") @Nullable String signal,
      String stdout,
      String stderr,
      @Schema(enumeration = {"utf-8", "base64"}) String stdoutEncoding,
      @Schema(enumeration = {"utf-8", "base64"}) String stderrEncoding,
      boolean stdoutTruncated,
      boolean stderrTruncated,
      boolean timedOut,
      @Schema(
              description =
                  "processes of the box that the kernel ended for lack of memory meanwhile")
          long oomKills,
      long durationMs,
      @Schema(description = "what went with the sandbox before, where outcome is vanished")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          BoxView.@Nullable LostView lost) {

    static Ended of(Ensured ensured, CommandResult result) {
      return new Ended(
          ensured.box().id(),
          ensured.box().sandbox().id().publicId(),
          (ensured.outcome() == Outcome.FOUND ? Outcome.FOUND : Outcome.VANISHED)
              .name()
              .toLowerCase(Locale.ROOT),
          result.exitCode().orElse(null),
          result.signal().orElse(null),
          text(result.stdout()),
          text(result.stderr()),
          encoding(result.stdout()),
          encoding(result.stderr()),
          result.stdout().clipped(),
          result.stderr().clipped(),
          result.timedOut(),
          result.oomKills(),
          result.duration().toMillis(),
          ensured.lost() == null
              ? null
              : BoxView.LostView.of(ensured.lost(), ensured.differences()));
    }

    private static String text(CommandOutput output) {
      return output
          .utf8()
          .orElseGet(() -> Base64.getEncoder().encodeToString(output.bytes().getBytes()));
    }

    private static String encoding(CommandOutput output) {
      return output.utf8().isPresent() ? "utf-8" : "base64";
    }
  }
}
