package dev.sandboxer.platform.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.trace.LogFields;
import java.time.Instant;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.Level;
import org.jboss.logmanager.MDC;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A log line is one JSON object that says whose it is, whatever stands in it. */
class JsonFormatterTest {

  private final JsonFormatter formatter = new JsonFormatter();

  @AfterEach
  void forget() {
    MDC.clear();
  }

  @Test
  void saysWhichRequestAndSandboxItIsAbout() throws Exception {
    LogFields.request("req_a");
    LogFields.sandbox(new SandboxId("abcdefghij0123456789"));
    JsonNode[] inside = new JsonNode[1];
    Thread worker =
        Thread.ofVirtual().unstarted(() -> inside[0] = line("from a thread of its own"));
    worker.start();
    worker.join();
    assertThat(inside[0].path("request_id").asText()).isEqualTo("req_a");
    assertThat(inside[0].path("sandbox_id").asText()).isEqualTo("sb_abcdefghij0123456789");
    LogFields.request(null);
    assertThat(line("later").has("request_id")).isFalse();
  }

  @Test
  void oneLineWhateverIsSaid() {
    MDC.put("odd \"key\"", "line\nbreak \u001b[31m \ud800");
    ExtLogRecord event = event("quote \" backslash \\ tab\t \u2028");
    event.setThrown(new IllegalStateException("two\nlines"));
    String text = formatter.format(event);
    assertThat(text).endsWith("}\n").doesNotContain("\u001b").hasLineCount(1);
    JsonNode read = read(text);
    assertThat(read.path("message").asText()).isEqualTo("quote \" backslash \\ tab\t \u2028");
    assertThat(read.path("odd \"key\"").asText()).startsWith("line\nbreak \u001b[31m");
    assertThat(read.path("error").asText()).contains("two\nlines").contains("\tat ");
    assertThat(Instant.parse(read.path("at").asText())).isEqualTo(event.getInstant());
  }

  private JsonNode line(String message) {
    return read(formatter.format(event(message)));
  }

  private static ExtLogRecord event(String message) {
    return new ExtLogRecord(Level.INFO, message, JsonFormatterTest.class.getName());
  }

  private static JsonNode read(String text) {
    try {
      return new ObjectMapper().readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError(text, e);
    }
  }
}
