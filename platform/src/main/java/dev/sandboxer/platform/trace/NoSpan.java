package dev.sandboxer.platform.trace;

import org.jspecify.annotations.Nullable;

/** Nothing is traced. */
final class NoSpan implements Span {

  private final Runnable leave;

  NoSpan(Runnable leave) {
    this.leave = leave;
  }

  @Override
  public boolean traced() {
    return false;
  }

  @Override
  public Span set(String key, String value) {
    return this;
  }

  @Override
  public Span set(String key, long value) {
    return this;
  }

  @Override
  public void rename(String name) {}

  @Override
  public void failed(String code) {}

  @Override
  public Span calls(String name) {
    return this;
  }

  @Override
  public @Nullable String header() {
    return null;
  }

  @Override
  public void close() {
    leave.run();
  }
}
