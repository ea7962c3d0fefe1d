package dev.sandboxer.tck;

import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * How a call ended: exactly one of both is there.
 *
 * @param <T> the result
 * @param value its result
 * @param failure its typed failure
 */
record Answer<T>(@Nullable T value, @Nullable ExtensionException failure) {

  static <T> Answer<T> of(BoundCall<T> call) {
    try {
      return new Answer<>(call.await(), null);
    } catch (ExtensionException e) {
      return new Answer<>(null, e);
    }
  }

  /** The result, else the failure of a check that it must have had one. */
  T orElseBreak(Promise promise, String name, String remedy) {
    T result = value;
    if (result == null) {
      throw promise.broken(name + " failed with " + shown(), remedy);
    }
    return result;
  }

  /** The failure, else the failure of a check that it must not have succeeded. */
  ExtensionException refusal(Promise promise, String what, String remedy) {
    ExtensionException refused = failure;
    if (refused == null) {
      throw promise.broken(what + " was accepted", remedy);
    }
    return refused;
  }

  private String shown() {
    ExtensionException e = failure;
    return e == null ? "null" : describe(e);
  }

  static String describe(ExtensionException e) {
    return e.code() + " (" + shown(e.outcome()) + "): " + e.getMessage();
  }

  private static String shown(@Nullable Outcome outcome) {
    return outcome == null ? "no outcome" : outcome.getClass().getSimpleName();
  }
}
