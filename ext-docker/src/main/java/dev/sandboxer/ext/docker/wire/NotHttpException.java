package dev.sandboxer.ext.docker.wire;

import java.io.IOException;

/** What answered does not speak HTTP. */
final class NotHttpException extends IOException {

  private static final long serialVersionUID = 1L;

  NotHttpException(String message) {
    super(message);
  }
}
