package dev.sandboxer.testing.client;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What a receiver got of one trace: its spans by name. */
public record Trace(Map<String, Span> spans) {

  static Trace of(String id, List<Span> all) {
    Map<String, Span> found = new TreeMap<>();
    for (Span span : all) {
      if (hex(span.getTraceId()).equals(id)) {
        found.put(span.getName(), span);
      }
    }
    return new Trace(found);
  }

  public Span span(String name) {
    return Objects.requireNonNull(spans.get(name), name);
  }

  /** Names from a span up to the first that another program is the parent of. */
  public List<String> path(String name) {
    List<String> path = new ArrayList<>();
    Span span = spans.get(name);
    while (span != null) {
      path.add(span.getName());
      ByteString parent = span.getParentSpanId();
      span =
          spans.values().stream()
              .filter(candidate -> candidate.getSpanId().equals(parent))
              .findFirst()
              .orElse(null);
    }
    return path;
  }

  /** What a span says beside its name. */
  public static Map<String, String> facts(Span span) {
    return span.getAttributesList().stream()
        .collect(Collectors.toMap(KeyValue::getKey, Trace::value));
  }

  private static String value(KeyValue fact) {
    return fact.getValue().hasIntValue()
        ? Long.toString(fact.getValue().getIntValue())
        : fact.getValue().getStringValue();
  }

  /** An id as headers and logs have it. */
  public static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }
}
