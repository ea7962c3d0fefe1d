package dev.sandboxer.ext.k8s.life;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;

/** The same failures with what they left. */
final class Failures {

  private Failures() {}

  static ExtensionException created(PodHandle handle, ErrorCode code, String message) {
    return new ExtensionException(code, new Outcome.Created(handle.toHandle()), message, null);
  }

  static ExtensionException created(PodHandle handle, ExtensionException e) {
    return with(new Outcome.Created(handle.toHandle()), e);
  }

  static ExtensionException with(Outcome outcome, ExtensionException e) {
    return new ExtensionException(e.code(), outcome, String.valueOf(e.getMessage()), e);
  }
}
