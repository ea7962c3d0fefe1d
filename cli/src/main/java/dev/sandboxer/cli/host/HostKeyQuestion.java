package dev.sandboxer.cli.host;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.terminal.Escapes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Shows the key of a machine that nobody has pinned yet, and asks whether it is the right one. */
final class HostKeyQuestion {
  /** As the probe of a host says it. */
  private static final Pattern UNKNOWN =
      Pattern.compile("host_key: (?<what>.*?(?<key>SHA256:[A-Za-z0-9+/]{43}))");

  private static final int LOOKS = 100;
  private static final long PAUSE_MILLIS = 300;

  private final Context context;
  private final String path;

  HostKeyQuestion(Context context, String host) {
    this.context = context;
    this.path = "/v1/hosts/" + HostFacts.name(host);
  }

  /** Waits for the first probe. If the key is not the trouble, it only says what was found. */
  void ask(JsonNode settings) throws InterruptedException {
    context.console().tell("the platform probes it now");
    Optional<JsonNode> probe = firstProbe();
    if (probe.isEmpty()) {
      context.console().tell("no answer yet; see sandboxer hosts");
      return;
    }
    String wrong = probe.get().path("detail").asText();
    Matcher unknown = UNKNOWN.matcher(wrong);
    if (!unknown.find()) {
      boolean usable = probe.get().path("usable").asBoolean();
      context
          .console()
          .tell(usable ? "it can be used" : Escapes.visible("it cannot be used yet: " + wrong));
      return;
    }
    context.console().tell(Escapes.visible(unknown.group("what")));
    context
        .console()
        .tell(
            "On that machine, ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub must print the same. Does it? [y/N]");
    if (!answer().strip().toLowerCase(Locale.ROOT).startsWith("y")) {
      context.console().tell("not trusted: the host stays registered and takes no sandboxes");
      return;
    }
    ObjectNode change = context.json().createObjectNode();
    change.putObject("settings").setAll((ObjectNode) settings.deepCopy());
    change.withArray("/settings/host_key").add(unknown.group("key"));
    var _ = context.api().call("PATCH", path, change, Map.of());
    context.console().tell("trusted from now on");
  }

  private Optional<JsonNode> firstProbe() throws InterruptedException {
    for (int i = 0; i < LOOKS; i++) {
      JsonNode probe = context.api().get(path).path("probe");
      if (!probe.isEmpty()) {
        return Optional.of(probe.iterator().next());
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    return Optional.empty();
  }

  private String answer() {
    try {
      String line =
          new BufferedReader(
                  new InputStreamReader(context.console().streams().in(), StandardCharsets.UTF_8))
              .readLine();
      return line == null ? "" : line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
