package dev.sandboxer.cli.volume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.ByteSize;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Escapes;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a volume. */
@Command(
    name = "create",
    description = "Make a volume and print its name. It stays where it is made.",
    footer = {
      "",
      "For example: sandboxer volume create data --size 1Gi",
      "then: sandboxer run --profile PROFILE --mount type=volume,source=data,target=/data -- ls /data"
    })
final class CreateVerb extends Verb {
  private static final String DEFAULT_PROFILE = "local";
  private static final Duration LONGEST = Duration.ofMinutes(2);

  @Parameters(index = "0", paramLabel = "NAME", description = "1 to 63 of a-z, 0-9 and '-'.")
  private String name = "";

  @Option(
      names = "--size",
      required = true,
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Its limit, such as 512Mi or 1Gi; at least 16Mi.")
  private ByteSize size = new ByteSize(0);

  @Option(
      names = {"-p", "--profile"},
      paramLabel = "PROFILE",
      description =
          "Keep it where a sandbox of this profile would go now (default: local, unless --extension"
              + " is given).")
  private @Nullable String profile;

  @Option(
      names = "--extension",
      paramLabel = "ID",
      description = "Instead: the backend that keeps it, such as ext.docker.")
  private @Nullable String extension;

  @Option(names = "--host", paramLabel = "HOST", description = "With --extension: where.")
  private @Nullable String host;

  CreateVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    var _ = VolumePath.of(name);
    JsonNode volume =
        context().api().waiting(LONGEST).post(VolumePath.ALL, body(), Map.of()).body();
    if (json()) {
      print(volume);
      return ExitCode.OK;
    }
    context().console().result(VolumePath.name(volume));
    context()
        .console()
        .tell(
            Escapes.visible(
                "%s: %s on %s"
                    .formatted(
                        volume.path("state").asText(),
                        volume.path("extension_id").asText(),
                        volume.path("host").asText())));
    return ExitCode.OK;
  }

  private ObjectNode body() {
    if (profile != null && (extension != null || host != null)) {
      throw Failure.usage("--profile goes neither with --extension nor with --host");
    }
    if (host != null && extension == null) {
      throw Failure.usage("--host needs --extension: the backend there");
    }
    ObjectNode body =
        context().json().createObjectNode().put("name", name).put("size", size.bytes());
    if (extension == null) {
      return body.put("profile", profile == null ? DEFAULT_PROFILE : profile);
    }
    body.put("extension", extension);
    return host == null ? body : body.put("host", host);
  }
}
