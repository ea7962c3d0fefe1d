package dev.sandboxer.platform.box;

import org.jspecify.annotations.Nullable;

/**
 * A field in which a living box differs from a request.
 *
 * @param field such as {@code profile} or {@code inputs.size}
 * @param box what the box has, null if nothing
 * @param request what was asked for, null if nothing
 */
public record Difference(String field, @Nullable String box, @Nullable String request) {

  static Difference of(BoxField field, Object box, Object request) {
    return new Difference(field.text(), box.toString(), request.toString());
  }
}
