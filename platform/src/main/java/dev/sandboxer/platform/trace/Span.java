package dev.sandboxer.platform.trace;

import org.jspecify.annotations.Nullable;

/**
 * A piece of work with a beginning and an end, part of a trace. It never carries a secret, a
 * header's value, a command, a path of a file or environment: names, ids, codes and numbers only.
 */
public interface Span extends AutoCloseable {

  /** Stands where nothing is traced. */
  Span NONE = new NoSpan(() -> {});

  /** Whether anybody will see it. */
  boolean traced();

  /**
   * Notes a fact.
   *
   * @param key such as {@code sandboxer.host.id}
   * @param value no secret
   * @return this
   */
  Span set(String key, String value);

  /**
   * Notes a number.
   *
   * @param key such as {@code sandboxer.attempt}
   * @param value the number
   * @return this
   */
  Span set(String key, long value);

  /**
   * Gives it a better name.
   *
   * @param name of few possible ones: no id in it
   */
  void rename(String name);

  /**
   * Notes that the work failed.
   *
   * @param code why, one of a known set
   */
  void failed(String code);

  /**
   * Begins a call that this span makes of another program.
   *
   * @param name of few possible ones
   * @return the span of the call; it does not become the running one
   */
  Span calls(String name);

  /**
   * Names this span to whoever continues its trace.
   *
   * @return the value of a {@code traceparent} header, null where nothing is traced
   */
  @Nullable String header();

  /** Ends it. Repeatable: the first end counts. */
  @Override
  void close();
}
