package dev.sandboxer.platform.trace;

import dev.sandboxer.platform.id.SandboxId;
import org.jboss.logging.MDC;
import org.jspecify.annotations.Nullable;

/**
 * What each log line says beside its message, where it is known. It follows a request through its
 * own threads, and a worker into the threads that it starts.
 */
public final class LogFields {

  private static final String REQUEST = "request_id";
  private static final String SANDBOX = "sandbox_id";
  private static final String TRACE = "trace_id";
  private static final String SPAN = "span_id";

  private LogFields() {}

  /**
   * Says which request the lines from here on belong to.
   *
   * @param id of the request, null if it is not known
   */
  public static void request(@Nullable String id) {
    put(REQUEST, id);
  }

  /**
   * The request that is being served or worked for.
   *
   * @return its id, null if there is none
   */
  public static @Nullable String request() {
    return get(REQUEST);
  }

  /**
   * Says which sandbox the lines from here on are about.
   *
   * @param id of the sandbox
   */
  public static void sandbox(SandboxId id) {
    put(SANDBOX, id.publicId());
  }

  /** The span that runs; log lines and new spans agree on it, because this is the one place. */
  static @Nullable TraceParent span() {
    String trace = get(TRACE);
    String span = get(SPAN);
    return trace == null || span == null ? null : new TraceParent(trace, span);
  }

  static void span(@Nullable TraceParent running) {
    put(TRACE, running == null ? null : running.traceId());
    put(SPAN, running == null ? null : running.spanId());
  }

  private static @Nullable String get(String field) {
    return MDC.get(field) instanceof String text ? text : null;
  }

  private static void put(String field, @Nullable String value) {
    if (value == null) {
      MDC.remove(field);
    } else {
      var _ = MDC.put(field, value);
    }
  }
}
