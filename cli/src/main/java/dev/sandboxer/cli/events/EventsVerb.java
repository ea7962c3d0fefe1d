package dev.sandboxer.cli.events;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Signals;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What happened to the sandboxes, and what happens. */
@Command(
    name = "events",
    description = "Print what happened to the sandboxes, and what goes on to happen.",
    footer = {
      "",
      "A line an event; with --json a JSON object a line. A lost connection is made again where it broke;",
      "events that are no longer kept are told as a gap."
    })
public final class EventsVerb extends Verb {
  private static final int PAGE = 500;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on with what happens, until Ctrl-C; begins now unless --after is given.")
  private boolean follow;

  @Option(
      names = "--after",
      paramLabel = "POSITION",
      description = "Only what came after this position; 0 is the beginning.")
  private String after = "";

  @Option(names = "--sandbox", paramLabel = "SANDBOX", description = "Only of this sandbox.")
  private String sandbox = "";

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      split = ",",
      description = "Only of these types, such as sandbox.ready or session.*.")
  private List<String> types = List.of();

  public EventsVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (!after.matches("[0-9]{0,18}")) {
      throw Failure.usage("--after " + after + " must be a position, a whole number from 0");
    }
    if (follow) {
      return follow();
    }
    list();
    return ExitCode.OK;
  }

  /** Ctrl-C is how it is meant to end, so nothing is said of it. */
  private int follow() throws InterruptedException {
    try {
      new EventStream(context().api(), "/v1/events/stream" + query("?"), after, new Heard())
          .follow();
      return ExitCode.OK;
    } catch (InterruptedException e) {
      String signal = context().interrupts().first();
      if (signal == null) {
        throw e;
      }
      return ExitCode.bySignal(Signals.number(signal));
    }
  }

  private String query(String first) throws InterruptedException {
    List<String> parts = new ArrayList<>();
    if (!sandbox.isEmpty()) {
      parts.add("sandbox_id=" + encoded(context().sandbox(sandbox)));
    }
    types.forEach(type -> parts.add("type=" + encoded(type)));
    return parts.isEmpty() ? "" : first + String.join("&", parts);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** Page by page: the log may be longer than the memory. */
  private void list() throws InterruptedException {
    String cursor = after;
    do {
      String path = "/v1/events?limit=" + PAGE + query("&");
      JsonNode page = context().api().get(cursor.isEmpty() ? path : path + "&cursor=" + cursor);
      gap(page.path("gap"));
      page.path("items").forEach(this::show);
      cursor = page.path("next_cursor").asText("").replaceFirst("^null$", "");
    } while (!cursor.isEmpty());
  }

  private void show(JsonNode event) {
    context().console().result(json() ? compact(event) : new EventLine(event, palette()).text());
  }

  private void gap(JsonNode gap) {
    if (!gap.isObject()) {
      return;
    }
    if (json()) {
      ObjectNode line = context().json().createObjectNode();
      line.put("type", "gap").setAll((ObjectNode) gap);
      context().console().result(compact(line));
    }
    context()
        .console()
        .tell(
            "gap: events %d to %d are no longer kept"
                .formatted(gap.path("from").asLong(), gap.path("to").asLong()));
  }

  private String compact(JsonNode node) {
    try {
      return context().json().writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw Failure.sandboxer("the event cannot be written as JSON", e);
    }
  }

  private final class Heard implements EventStream.News {
    @Override
    public void message(Message message) {
      JsonNode data = read(message.data());
      if (message.event().equals("gap")) {
        gap(data);
      } else {
        show(data);
      }
    }

    private JsonNode read(String data) {
      try {
        return context().json().readTree(data);
      } catch (JsonProcessingException e) {
        throw Failure.sandboxer("the platform's events are no JSON", e);
      }
    }

    @Override
    public void lost(String why) {
      context().console().tell(why + "; connecting again");
    }
  }
}
