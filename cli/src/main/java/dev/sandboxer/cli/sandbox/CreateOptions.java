package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.ByteSize;
import dev.sandboxer.cli.TimeSpan;
import dev.sandboxer.cli.client.Api;
import dev.sandboxer.cli.client.SandboxNames;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a new sandbox is to be: the options that every verb has which makes one. */
public final class CreateOptions {
  @Option(
      names = {"-p", "--profile"},
      defaultValue = "local",
      paramLabel = "NAME",
      description = "The recipe (default: ${DEFAULT-VALUE}).")
  private String profile = "local";

  @Option(
      names = "--project",
      defaultValue = "cli",
      paramLabel = "NAME",
      description = "The project in the record (default: ${DEFAULT-VALUE}).")
  private String project = "cli";

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "What to call it instead of its id; the label name of the record.")
  private @Nullable String name;

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      converter = TimeSpan.class,
      description =
          "Destroy it after this time, seconds or such as 30m or 2h (default: the profile's).")
  private @Nullable Duration ttl;

  @Option(
      names = "--cpus",
      paramLabel = "N",
      description = "Its CPUs, such as 2 or 0.5: the input cpus, where the profile has it.")
  private @Nullable String cpus;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Its memory, such as 2Gi: the input memory, where the profile has it.")
  private @Nullable ByteSize memory;

  @Option(
      names = {"-l", "--label"},
      paramLabel = "K=V",
      description = "A label of the record; may be repeated.")
  private Map<String, String> labels = Map.of();

  @Option(
      names = "--input",
      paramLabel = "K=V",
      description = "What the profile declares under inputs; may be repeated.")
  private Map<String, String> inputs = Map.of();

  @Option(
      names = "--mount",
      paramLabel = "SPEC",
      description =
          "A folder of the platform's host, type=bind,source=DIR,target=DIR[,readonly], a copy of"
              + " one, type=copy,source=DIR,target=DIR[,readonly][,sync-interval=TIME], a volume,"
              + " type=volume,source=NAME,target=DIR[,readonly], or a file system in memory,"
              + " type=tmpfs,target=DIR,tmpfs-size=SIZE, where the profile allows it; may be"
              + " repeated.")
  private List<String> mounts = List.of();

  /** The recipe's name. */
  String profile() {
    return profile;
  }

  /** Refuses a name that a live sandbox has. */
  void check(Api api) throws InterruptedException {
    if (name != null) {
      var _ = new SandboxNames(api).free(name);
    }
  }

  /** The body of a create. */
  public ObjectNode body(ObjectMapper json) {
    ObjectNode body = json.createObjectNode().put("profile", profile);
    body.putObject("consumer").put("actor", "adm").put("project", project);
    if (ttl != null) {
      body.put("ttl_seconds", ttl.toSeconds());
    }
    if (!labels.isEmpty() || name != null) {
      ObjectNode all = body.putObject("labels");
      labels.forEach(all::put);
      if (name != null) {
        all.put(SandboxNames.LABEL, name);
      }
    }
    Map<String, String> given = inputs();
    if (!given.isEmpty()) {
      given.forEach(body.putObject("inputs")::put);
    }
    if (!mounts.isEmpty()) {
      ArrayNode all = body.putArray("mounts");
      mounts.forEach(text -> MountOption.parse(text).putInto(all.addObject()));
    }
    return body;
  }

  private Map<String, String> inputs() {
    Map<String, String> all = new LinkedHashMap<>(inputs);
    if (cpus != null) {
      all.put("cpus", cpus);
    }
    if (memory != null) {
      all.put("memory", memory.toString());
    }
    return all;
  }
}
