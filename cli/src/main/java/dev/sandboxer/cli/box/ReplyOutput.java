package dev.sandboxer.cli.box;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.terminal.Signals;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** What a command wrote to one stream, as a reply has it. */
@SuppressWarnings("ArrayRecordComponent") // as read, never compared
record ReplyOutput(String stream, byte[] bytes, boolean truncated) {

  static ReplyOutput of(JsonNode reply, String stream) {
    return new ReplyOutput(
        stream,
        decoded(reply.path(stream).asText(), reply.path(stream + "_encoding").asText(), stream),
        reply.path(stream + "_truncated").asBoolean());
  }

  private static byte[] decoded(String text, String encoding, String stream) {
    try {
      return encoding.equals("base64")
          ? Base64.getDecoder().decode(text)
          : text.getBytes(StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw Failure.sandboxer("the platform answered " + stream + " that is no base64", e);
    }
  }

  void writeTo(OutputStream out) {
    try {
      out.write(bytes);
      out.flush();
    } catch (IOException e) {
      throw new Failure(ExitCode.bySignal(Signals.number("PIPE")), "standard output was closed", e);
    }
  }

  /** What to say where there was more. */
  Optional<String> clipped() {
    return truncated
        ? Optional.of(stream + " is clipped: the command wrote more than what is here")
        : Optional.empty();
  }

  String text() {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
