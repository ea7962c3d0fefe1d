package dev.sandboxer.platform.boot;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.jboss.logmanager.ExtFormatter;
import org.jboss.logmanager.ExtLogRecord;
import org.jspecify.annotations.Nullable;

/**
 * One JSON object a line: {@code at, level, logger, message}, then what the diagnostic context
 * holds (such as {@code request_id}), then {@code error} with the stack trace.
 */
final class JsonFormatter extends ExtFormatter {

  @Override
  public String format(ExtLogRecord event) {
    StringBuilder line = new StringBuilder(256);
    line.append('{');
    member(line, "at", event.getInstant().toString());
    member(line, "level", String.valueOf(event.getLevel()));
    member(line, "logger", String.valueOf(event.getLoggerName()));
    member(line, "message", String.valueOf(formatMessage(event)));
    for (Map.Entry<String, String> entry : event.getMdcCopy().entrySet()) {
      member(line, entry.getKey(), entry.getValue());
    }
    @Nullable Throwable thrown = event.getThrown();
    if (thrown != null) {
      member(line, "error", trace(thrown));
    }
    return line.append("}\n").toString();
  }

  private static String trace(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString().strip();
  }

  private static void member(StringBuilder line, String name, String value) {
    if (line.length() > 1) {
      line.append(',');
    }
    quote(line, name);
    line.append(':');
    quote(line, value);
  }

  private static void quote(StringBuilder line, String text) {
    line.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> line.append('\\').append(c);
        case '\n' -> line.append("\\n");
        case '\t' -> line.append("\\t");
        default -> {
          // Also what a terminal would act on, and lone surrogates, which are not UTF-8.
          if (c < ' ' || (c >= 0x7f && c < 0xa0) || Character.isSurrogate(c)) {
            line.append("\\u%04x".formatted((int) c));
          } else {
            line.append(c);
          }
        }
      }
    }
    line.append('"');
  }
}
