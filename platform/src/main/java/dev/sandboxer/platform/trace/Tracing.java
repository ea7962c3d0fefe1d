package dev.sandboxer.platform.trace;

import dev.sandboxer.platform.installation.Authorities;
import io.opentelemetry.api.trace.SpanKind;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Begins spans. Where no receiver is set, each is {@link Span#NONE}. */
public final class Tracing implements AutoCloseable {

  private final @Nullable Exporting exporting;

  /**
   * Makes the tracing.
   *
   * @param endpoint base URL of an OTLP/HTTP receiver; empty: nothing is traced
   * @param authorities whose signatures count there, empty for those that Java trusts
   * @param version of the platform
   */
  public Tracing(Optional<URI> endpoint, Optional<Authorities> authorities, String version) {
    this.exporting = endpoint.map(url -> new Exporting(url, authorities, version)).orElse(null);
  }

  /**
   * Begins the span of a request that came in. It runs until it is closed, for the request's own
   * threads.
   *
   * @param name of few possible ones
   * @param traceparent the caller's header, null if none came; a bad one counts as none
   * @return the root of what happens here
   */
  Span serves(String name, @Nullable String traceparent) {
    return exporting == null
        ? Span.NONE
        : enter(name, SpanKind.SERVER, TraceParent.parse(traceparent).orElse(null));
  }

  /**
   * Goes on with a trace whose request may be over, on the present thread.
   *
   * @param name of few possible ones
   * @param stored what {@link #header} was then, null if nothing was traced
   * @return a span that runs until it is closed
   */
  public Span continues(String name, @Nullable String stored) {
    if (exporting == null) {
      return Span.NONE;
    }
    TraceParent parent = TraceParent.parse(stored).orElse(null);
    return parent == null ? apart() : enter(name, SpanKind.INTERNAL, parent);
  }

  /** The thread may have been made by some request that this work is not part of. */
  private static Span apart() {
    TraceParent before = LogFields.span();
    LogFields.span(null);
    return new NoSpan(() -> LogFields.span(before));
  }

  /**
   * Begins a step of what runs on the present thread.
   *
   * @param name of few possible ones
   * @return a span that runs until it is closed; none where nothing is traced
   */
  public Span step(String name) {
    return within(name, SpanKind.INTERNAL);
  }

  /**
   * Begins a call of a backend from the present thread.
   *
   * @param name of few possible ones
   * @return as {@link #step}
   */
  public Span call(String name) {
    return within(name, SpanKind.CLIENT);
  }

  /**
   * Names the running span, to go on with its trace later.
   *
   * @return null where nothing is traced
   */
  public @Nullable String header() {
    TraceParent running = exporting == null ? null : LogFields.span();
    return running == null ? null : running.header();
  }

  private Span within(String name, SpanKind kind) {
    TraceParent running = exporting == null ? null : LogFields.span();
    return running == null ? Span.NONE : enter(name, kind, running);
  }

  private Span enter(String name, SpanKind kind, @Nullable TraceParent parent) {
    if (exporting == null) {
      return Span.NONE;
    }
    TraceParent before = LogFields.span();
    LiveSpan span =
        new LiveSpan(exporting, exporting.start(name, kind, parent), () -> LogFields.span(before));
    LogFields.span(span.parent());
    return span;
  }

  /** Sends what is left. */
  @Override
  public void close() {
    if (exporting != null) {
      exporting.close();
    }
  }
}
