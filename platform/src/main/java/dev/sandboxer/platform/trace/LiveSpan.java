package dev.sandboxer.platform.trace;

import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import org.jspecify.annotations.Nullable;

/** A span that is exported once it has ended. */
final class LiveSpan implements Span {

  private final Exporting exporting;
  private final io.opentelemetry.api.trace.Span span;
  private final Runnable leave;

  LiveSpan(Exporting exporting, io.opentelemetry.api.trace.Span span, Runnable leave) {
    this.exporting = exporting;
    this.span = span;
    this.leave = leave;
  }

  TraceParent parent() {
    return new TraceParent(span.getSpanContext().getTraceId(), span.getSpanContext().getSpanId());
  }

  @Override
  public boolean traced() {
    return true;
  }

  @Override
  public Span set(String key, String value) {
    span.setAttribute(key, value);
    return this;
  }

  @Override
  public Span set(String key, long value) {
    span.setAttribute(key, value);
    return this;
  }

  @Override
  public void rename(String name) {
    span.updateName(name);
  }

  @Override
  public void failed(String code) {
    span.setAttribute("error.type", code);
    span.setStatus(StatusCode.ERROR);
  }

  @Override
  public Span calls(String name) {
    return new LiveSpan(exporting, exporting.start(name, SpanKind.CLIENT, parent()), () -> {});
  }

  @Override
  public @Nullable String header() {
    return parent().header();
  }

  @Override
  public void close() {
    leave.run();
    span.end();
  }
}
