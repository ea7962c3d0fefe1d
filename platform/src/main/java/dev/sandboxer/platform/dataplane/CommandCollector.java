package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.ReplyHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Collects a command's frames, a line of JSON each, or the refusal to start it. Output that finds
 * no room in memory is dropped, and said to be clipped.
 */
final class CommandCollector extends Collector<CommandCollector.Outcome> {

  /** boxd reads 32 KiB of output at once, of which a byte is up to six in JSON. */
  private static final int MAX_LINE_BYTES = 256 * 1024;

  private static final int MAX_REFUSAL_BYTES = 64 * 1024;

  /** A frame that has one byte of output. */
  private static final long MOST_BYTES_OF_ONE = 96;

  /** All frames without output. */
  private static final long MOST_BYTES_OF_OTHERS = 64 * 1024;

  private static final Pattern SIGNAL = Pattern.compile("SIG[A-Z0-9-]{1,40}");
  private static final int OK = 200;
  private static final int MAX_EXIT_CODE = 255;

  private final int outputLimit;
  private final OutputMemory memory;
  private final String tenant;
  private final Stream stdout = new Stream();
  private final Stream stderr = new Stream();
  private Buffer line = Buffer.buffer();
  private @Nullable CommandResult ended;
  private int status;

  /** What became of the request to run it. */
  sealed interface Outcome {

    /** It ran. */
    record Ended(CommandResult result) implements Outcome {}

    /** It was not started. */
    record Refused(Answer answer) implements Outcome {}
  }

  /**
   * Makes a collector.
   *
   * @param outputLimit bytes of each stream, as boxd was told
   * @param memory of all commands
   * @param tenant whose command it is
   */
  CommandCollector(int outputLimit, OutputMemory memory, String tenant) {
    this.outputLimit = outputLimit;
    this.memory = memory;
    this.tenant = tenant;
    var _ = result().whenComplete((_, _) -> memory.give(tenant, stdout.taken() + stderr.taken()));
  }

  @Override
  public void head(ReplyHead head, boolean hasBody) {
    status = head.status();
  }

  @Override
  void part(Buffer part) throws WireException {
    if (status != OK) {
      keep(part, MAX_REFUSAL_BYTES);
      return;
    }
    int from = 0;
    for (int at = 0; at < part.length(); at++) {
      if (part.getByte(at) == '\n') {
        keep(part.slice(from, at), MAX_LINE_BYTES);
        frame(line);
        line = Buffer.buffer();
        from = at + 1;
      }
    }
    keep(part.slice(from, part.length()), MAX_LINE_BYTES);
    long framed = received() - line.length();
    if (framed > MOST_BYTES_OF_OTHERS + MOST_BYTES_OF_ONE * (stdout.seen + stderr.seen)) {
      throw new WireException("it sent too many frames without output");
    }
  }

  private void keep(Buffer part, int most) throws WireException {
    if (part.length() > most - line.length()) {
      throw new WireException("it answered with a line larger than " + most + " bytes");
    }
    line.appendBuffer(part);
  }

  private void frame(Buffer text) throws WireException {
    JsonObject frame = Answer.object(text).orElseThrow(CommandCollector::nonsense);
    if (ended != null || !(frame.getValue("type") instanceof String type)) {
      throw nonsense();
    }
    switch (type) {
      case "stdout" -> stdout.add(bytes(frame));
      case "stderr" -> stderr.add(bytes(frame));
      case "exit" -> ended = result(frame);
      default -> {
        // Such as "ready", which says nothing that is needed here.
      }
    }
  }

  private static byte[] bytes(JsonObject frame) throws WireException {
    if (!(frame.getValue("data") instanceof String data)) {
      throw nonsense();
    }
    if (!"base64".equals(frame.getValue("encoding"))) {
      return data.getBytes(StandardCharsets.UTF_8);
    }
    try {
      return Base64.getDecoder().decode(data);
    } catch (IllegalArgumentException e) {
      throw nonsense();
    }
  }

  private CommandResult result(JsonObject exit) throws WireException {
    boolean whole =
        exit.getValue("duration_ms") instanceof Number duration
            && duration.longValue() >= 0
            && exit.getValue("timed_out") instanceof Boolean
            && (code(exit).isPresent() != signal(exit).isPresent());
    if (!whole) {
      throw nonsense();
    }
    return new CommandResult(
        code(exit),
        signal(exit),
        exit.getBoolean("timed_out"),
        oomKills(exit),
        stdout.output(Boolean.TRUE.equals(exit.getValue("stdout_truncated"))),
        stderr.output(Boolean.TRUE.equals(exit.getValue("stderr_truncated"))),
        Duration.ofMillis(exit.getLong("duration_ms")));
  }

  private static long oomKills(JsonObject exit) {
    return exit.getValue("oom_kills") instanceof Number kills ? Math.max(0, kills.longValue()) : 0;
  }

  private static Optional<Integer> code(JsonObject exit) {
    return exit.getValue("exit_code") instanceof Integer code && code >= 0 && code <= MAX_EXIT_CODE
        ? Optional.of(code)
        : Optional.empty();
  }

  private static Optional<String> signal(JsonObject exit) {
    return exit.getValue("signal") instanceof String name && SIGNAL.matcher(name).matches()
        ? Optional.of(name)
        : Optional.empty();
  }

  @Override
  Outcome whole() throws WireException {
    if (status != OK) {
      return new Outcome.Refused(new Answer(status, line));
    }
    if (ended == null || line.length() > 0) {
      throw nonsense();
    }
    return new Outcome.Ended(ended);
  }

  private static WireException nonsense() {
    return new WireException("it answered with something that is not a command's frames");
  }

  /** One of the two. */
  private final class Stream {

    private final Buffer kept = Buffer.buffer();
    private long seen;
    private boolean clipped;

    long taken() {
      return kept.length();
    }

    void add(byte[] data) throws WireException {
      seen += data.length;
      if (seen > outputLimit) {
        throw new WireException("it sent more output than " + outputLimit + " bytes of a stream");
      }
      clipped = clipped || !memory.take(tenant, data.length);
      if (!clipped) {
        kept.appendBytes(data);
      }
    }

    CommandOutput output(boolean clippedThere) {
      return CommandOutput.of(kept, clipped || clippedThere);
    }
  }
}
